/** The story of faults on the embedded cluster; in files of their own, so that both can be told side by side. */
import { test } from "node:test";
import { faultStory } from "./fault-story.ts";

const { title, skip, tell } = await faultStory("embedded");
test(title, { skip }, tell);
