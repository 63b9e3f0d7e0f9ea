/** Our manager against the recorded answers of the original: webhooks. */
import { replay } from "./olm/replay.ts";
import { quickScenarios } from "./olm/scenarios.ts";

replay("webhooks", quickScenarios("webhooks"));
