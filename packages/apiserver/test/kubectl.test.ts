/** A real kubectl on this server, over TLS: its output equals that on a real kube-apiserver. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { buildPrograms, kubernetesMissing, kubernetesProgram, programPath, showProgress } from "@capstan/kubernetes";
import { startApiServer, toKubeconfig } from "../src/index.ts";
import answers from "./kubectl/answers.json" with { type: "json" };
import otherAnswers from "./kubectl/answers-1.34.4.json" with { type: "json" };
import { drive, type Said } from "./kubectl/drive.ts";

/** The output of each kubectl release on kube-apiserver 1.36.3; for the older one, only the differences. */
const releases: readonly (readonly [version: string, others: readonly Said[]])[] = [
  ["1.36.3", []],
  ["1.34.4", otherAnswers],
];

for (const [version, others] of releases) {
  const program = kubernetesProgram("kubectl", version);
  const skip = existsSync(programPath(program)) ? false : kubernetesMissing();
  test(`kubectl ${version} prints the same as with kube-apiserver`, { skip }, async (t) => {
    await buildPrograms([program], showProgress(process.stderr));
    await using server = await startApiServer({ listen: { port: 0 } });
    const expected = answers.map((usual) => others.find(({ command }) => command === usual.command) ?? usual);
    let index = 0;
    const kubectl = programPath(program);
    for await (const said of drive({ kubectl, kubeconfig: toKubeconfig(server, "it"), namespace: "kt123456" })) {
      await t.test(`kubectl ${said.command}`, () => assert.deepEqual(said, expected[index]));
      index += 1;
    }
    assert.equal(index, expected.length);
  });
}
