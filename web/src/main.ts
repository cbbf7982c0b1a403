// The entry of the web client: styles, elements, language.

import "./styles/riad.css";
import { followSystem } from "./app/theme.ts";
import { chooseLanguage } from "./text.ts";
import "./parts/approval.ts";
import "./parts/question.ts";
import "./parts/gate.ts";
import "./parts/composer.ts";
import "./parts/side.ts";
import "./parts/chat.ts";
import "./parts/pages.ts";
import "./parts/picker.ts";
import "./parts/agents.ts";
import "./parts/usage.ts";
import "./parts/export.ts";
import "./parts/app.ts";

chooseLanguage(navigator.language.split("-")[0] ?? "en");
followSystem();
