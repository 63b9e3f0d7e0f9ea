/** Every fault and every refusal once on the embedded cluster; `npm test` tries only a part. */
import { test } from "node:test";

process.env["ETCD_FAULTS_REPEATS"] ??= "1";
const { faultStory } = await import("./fault-story.ts");

const { title, tell } = await faultStory("embedded");
test(title, tell);
