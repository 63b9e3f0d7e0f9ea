/** Our manager against the recorded answers of the original: subscriptions. */
import { replay } from "./olm/replay.ts";
import { quickScenarios } from "./olm/scenarios.ts";

replay("subscriptions", quickScenarios("subscriptions"));
