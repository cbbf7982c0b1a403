// Renders chat templates with the engine's own Jinja and says, span by span, what is the template's and what came from
// a message. It decides nothing: which messages and tools a model gets is made in Rust.
#include "template.h"

#include "chat.h"
#include "jinja/runtime.h"
#include "jinja/value.h"

#include <exception>
#include <string>

struct riad_template {
    common_chat_template compiled;
};

namespace {

void report(riad_error error, void * user, const std::string & text) {
    error(user, text.data(), text.size());
}

// Templates choose by these words and write them out; they are made by Riad and are no content.
const char * const OWN_WORDS[] = { "role", "type", "id", "tool_call_id" };

void unmark(const jinja::value & holder, const char * key) {
    jinja::value missing;
    jinja::value found = holder->at(std::string(key), missing);
    if (!found || !jinja::is_val<jinja::value_string>(found)) {
        return;
    }
    for (auto & part : found->val_str.parts) {
        part.is_input = false;
    }
}

void unmark_own_words(jinja::context & context) {
    jinja::value messages = context.get_val("messages");
    for (const jinja::value & message : messages->as_array()) {
        for (const char * word : OWN_WORDS) {
            unmark(message, word);
        }
    }
}

void render(const common_chat_template & compiled, const common_json & variables, riad_span span, void * user) {
    jinja::context context(compiled.source());
    common_json own = common_json::object();
    common_json content = common_json::object();
    for (const auto & [key, value] : variables.items()) {
        (key == "messages" ? content : own)[key] = value;
    }
    own["bos_token"] = compiled.bos_token();
    own["eos_token"] = compiled.eos_token();
    jinja::global_from_json(context, own, false);
    jinja::global_from_json(context, content, true);
    unmark_own_words(context);

    jinja::runtime runtime(context);
    const jinja::value result = runtime.execute(compiled.prog);
    for (const auto & part : jinja::runtime::gather_string_parts(result)->as_string().parts) {
        span(user, part.is_input ? 1 : 0, part.val.data(), part.val.size());
    }
}

} // namespace

extern "C" riad_template * riad_template_new(const char * source, const char * bos, const char * eos, riad_error error, void * user) {
    try {
        return new riad_template{ common_chat_template(source, bos, eos) };
    } catch (const std::exception & caught) {
        report(error, user, caught.what());
    } catch (...) {
        report(error, user, "unknown error");
    }
    return nullptr;
}

extern "C" void riad_template_free(riad_template * compiled) {
    delete compiled;
}

extern "C" int riad_template_render(const riad_template * compiled, const char * variables, riad_span span, riad_error error, void * user) {
    try {
        render(compiled->compiled, common_json::parse(variables), span, user);
        return 1;
    } catch (const std::exception & caught) {
        report(error, user, caught.what());
    } catch (...) {
        report(error, user, "unknown error");
    }
    return 0;
}
