/** A real kubectl on this server, over TLS: it says what it says on a real kube-apiserver. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { buildPrograms, kubernetesMissing, kubernetesProgram, programPath, showProgress } from "@capstan/kubernetes";
import { startApiServer, toKubeconfig } from "../src/index.ts";
import answers from "./kubectl/answers.json" with { type: "json" };
import otherAnswers from "./kubectl/answers-1.34.4.json" with { type: "json" };
import { drive, type Said } from "./kubectl/drive.ts";

/** What each release of kubectl says on kube-apiserver 1.36.3; of the older one, where it is not the same. */
const releases: readonly (readonly [version: string, others: readonly Said[]])[] = [
  ["1.36.3", []],
  ["1.34.4", otherAnswers],
];

for (const [version, others] of releases) {
  const program = kubernetesProgram("kubectl", version);
  const skip = existsSync(programPath(program)) ? false : kubernetesMissing();
  test(`kubectl ${version} cannot tell this server from kube-apiserver`, { skip }, async (t) => {
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
