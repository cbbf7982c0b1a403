// The border between Rust and the chat templates of llama.cpp. Plain C: pointers, lengths, no exceptions.
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct riad_template riad_template;

// Gets one span of a rendering. `content` is 1 where the text comes from a message, 0 where it is the template's own.
typedef void (*riad_span)(void * user, int content, const char * text, size_t length);
// Gets the text of an error.
typedef void (*riad_error)(void * user, const char * text, size_t length);

// Compiles a template; NULL after an error.
riad_template * riad_template_new(const char * source, const char * bos, const char * eos, riad_error error, void * user);
void riad_template_free(riad_template * compiled);

// Renders `variables`, a JSON object; its "messages" are content. Returns 1, or 0 after an error.
int riad_template_render(const riad_template * compiled, const char * variables, riad_span span, riad_error error, void * user);

#ifdef __cplusplus
}
#endif
