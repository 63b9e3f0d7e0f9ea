/** Topics about what changes under those who depend on it: definitions under their objects, objects under tokens bound to them. */
import type { Topic } from "../../case.ts";
import { definitionNames } from "./definition-names.ts";
import { storedVersions } from "./stored-versions.ts";
import { strays } from "./strays.ts";
import { tokens } from "./tokens.ts";

export const lifeTopics: readonly Topic[] = [definitionNames, storedVersions, strays, tokens];
