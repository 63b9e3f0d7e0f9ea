/** The story of faults on real Kubernetes; in files of their own, so that both can be told side by side. */
import { test } from "node:test";
import { faultStory } from "./fault-story.ts";

const { title, skip, tell } = await faultStory("kubernetes");
test(title, { skip }, tell);
