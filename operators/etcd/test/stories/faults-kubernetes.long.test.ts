/** Every fault and every refusal once on real Kubernetes; `npm test` tries only a part. */
import { test } from "node:test";

process.env["ETCD_FAULTS_REPEATS"] ??= "1";
const { faultStory } = await import("./fault-story.ts");

const { title, tell } = await faultStory("kubernetes");
test(title, tell);
