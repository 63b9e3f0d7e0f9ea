/** A real kubectl on this server, over TLS: it says what it says on a real kube-apiserver. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import {
  DEFAULT_RELEASE,
  buildPrograms,
  conformancePrograms,
  kubernetesMissing,
  programPath,
  showProgress,
} from "@capstan/kubernetes";
import { startApiServer, type ApiServer } from "../src/index.ts";
import answers from "./kubectl/answers.json" with { type: "json" };
import { drive } from "./kubectl/drive.ts";

const programs = conformancePrograms(DEFAULT_RELEASE.kubernetes).filter(({ name }) => name === "kubectl");
const isBuilt = programs.every((program) => existsSync(programPath(program)));

test(
  "kubectl cannot tell this server from kube-apiserver",
  { skip: isBuilt ? false : kubernetesMissing() },
  async (t) => {
    await buildPrograms(programs, showProgress(process.stderr));
    await using server = await startApiServer({ listen: { port: 0 } });
    const [kubectl = ""] = programs.map(programPath);
    let index = 0;
    for await (const said of drive({ kubectl, kubeconfig: kubeconfigOf(server), namespace: "kt123456" })) {
      await t.test(`kubectl ${said.command}`, () => assert.deepEqual(said, answers[index]));
      index += 1;
    }
    assert.equal(index, answers.length);
  },
);

function kubeconfigOf({ url, token, authority }: ApiServer): string {
  const certificate = Buffer.from(authority.certificate).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "it", cluster: { server: url, "certificate-authority-data": certificate } }],
    users: [{ name: "it", user: { token } }],
    contexts: [{ name: "it", context: { cluster: "it", user: "it" } }],
    "current-context": "it",
  });
}
