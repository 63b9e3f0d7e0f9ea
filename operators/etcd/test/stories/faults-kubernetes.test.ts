/** The story of faults on real Kubernetes, in a separate file so that both clusters can run in parallel. */
import { test } from "node:test";
import { faultStory } from "./fault-story.ts";

const { title, skip, tell } = await faultStory("kubernetes");
test(title, { skip }, tell);
