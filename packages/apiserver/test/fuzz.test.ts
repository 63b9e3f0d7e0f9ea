/** Random objects and patches: this server and a real kube-apiserver respond alike. `fuzz/run.ts` sends more and other requests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { admissionSteps, startApiServer } from "../src/index.ts";
import { fuzz } from "./fuzz/fuzz.ts";
import { fuzzedKinds } from "./fuzz/kinds.ts";
import { httpsAsk, inProcessAsk, prepare } from "./fuzz/servers.ts";

const questions = 600;
const seed = 20_260_101;

test(`${questions} random requests have the same responses`, { skip: kubernetesMissing() }, async (t) => {
  await using cluster = await useKubernetes(t);
  const bugs: unknown[] = [];
  await using server = await startApiServer({ admission: admissionSteps, report: (error) => bugs.push(error) });
  const { namespace, credentials } = cluster;
  const [ours, real] = [inProcessAsk(server), httpsAsk(credentials.server, credentials)];
  await prepare(ours, namespace);
  const options = { ours, real, kinds: fuzzedKinds, namespace, hasControllers: true, requests: questions, seed };
  for await (const { question, difference, reason } of fuzz(options)) {
    if (reason !== undefined) continue;
    assert.fail(`seed ${seed}: ${question.method} ${question.path} ${question.type}\n${question.body}\n${difference}`);
  }
  assert.deepEqual(bugs, []);
});
