import { test } from "node:test";
import { tryManyPods } from "./many-pods.ts";

test("hundreds of pods become available in virtual time despite crashes", async (t) => {
  await tryManyPods(250, (line) => t.diagnostic(line));
});
