/** Topics from a systematic comparison of both servers: every type of difference that was found is in one of them. */
import type { Topic } from "../../case.ts";
import { customDefinitions } from "./custom-definitions.ts";
import { customKeywords } from "./custom-keywords.ts";
import { customLives } from "./custom-lives.ts";
import { customNumbers } from "./custom-numbers.ts";
import { customRules } from "./custom-rules.ts";
import { edges } from "./edges.ts";
import { empties } from "./empties.ts";
import { everyKind } from "./every-kind.ts";
import { formerVersions } from "./former-versions.ts";
import { hostileForms } from "./hostile-forms.ts";
import { hostileKinds } from "./hostile-kinds.ts";
import { hostileLives } from "./hostile-lives.ts";
import { hostileRules } from "./hostile-rules.ts";
import { hostileWire } from "./hostile-wire.ts";
import { limits } from "./limits.ts";
import { mutatingPolicies } from "./mutating-policies.ts";
import { oddRequests } from "./odd-requests.ts";
import { otherVersions } from "./other-versions.ts";
import { permissions } from "./permissions.ts";
import { rareForms } from "./rare-forms.ts";
import { rareWords } from "./rare-words.ts";
import { routes } from "./routes.ts";
import { validatingPolicies } from "./validating-policies.ts";
import { webhookConfigurations } from "./webhook-configurations.ts";

export const exploredTopics: readonly Topic[] = [
  customDefinitions,
  customKeywords,
  customLives,
  customNumbers,
  customRules,
  edges,
  empties,
  everyKind,
  formerVersions,
  hostileForms,
  hostileKinds,
  hostileLives,
  hostileRules,
  hostileWire,
  limits,
  mutatingPolicies,
  oddRequests,
  otherVersions,
  permissions,
  rareForms,
  rareWords,
  routes,
  validatingPolicies,
  webhookConfigurations,
];
