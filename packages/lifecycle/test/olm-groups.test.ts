/** Our manager against the recorded answers of the original: groups. */
import { replay } from "./olm/replay.ts";
import { quickScenarios } from "./olm/scenarios.ts";

replay("groups", quickScenarios("groups"));
