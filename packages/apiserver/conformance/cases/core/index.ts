/** The topics of the core group. */
import type { Topic } from "../../case.ts";
import { cluster } from "./cluster.ts";
import { pods } from "./pods.ts";
import { services } from "./services.ts";
import { small } from "./small.ts";

export const coreTopics: readonly Topic[] = [pods, services, small, cluster];
