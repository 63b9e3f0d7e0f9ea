/** Our manager against the recorded answers of the original: plans. */
import { replay } from "./olm/replay.ts";
import { quickScenarios } from "./olm/scenarios.ts";

replay("plans", quickScenarios("plans"));
