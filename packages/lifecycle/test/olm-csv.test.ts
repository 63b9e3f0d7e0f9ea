/** Our manager against the recorded answers of the original: csv. */
import { replay } from "./olm/replay.ts";
import { quickScenarios } from "./olm/scenarios.ts";

replay("csv", quickScenarios("csv"));
