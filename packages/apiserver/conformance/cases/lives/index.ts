/** Topics about changes that affect dependents: CRDs with objects, objects with bound tokens. */
import type { Topic } from "../../case.ts";
import { definitionNames } from "./definition-names.ts";
import { storedVersions } from "./stored-versions.ts";
import { strays } from "./strays.ts";
import { tokens } from "./tokens.ts";

export const lifeTopics: readonly Topic[] = [definitionNames, storedVersions, strays, tokens];
