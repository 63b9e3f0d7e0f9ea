import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { isApiError } from "@capstan/client";
import { Deployment } from "@capstan/kinds/apps/v1";
import { ConfigMap } from "@capstan/kinds/v1";
import { buildPrograms, mirrorOperator, programPath, showProgress } from "@capstan/kubernetes";
import { stages } from "./target.ts";
import { until } from "./until.ts";

for (const { name, skip, open } of stages) {
  test(`on ${name}, an operator in Go, written with controller-runtime, does its work`, { skip }, async (t) => {
    await buildPrograms([mirrorOperator()], showProgress(process.stderr));
    const { client, namespace, kubeconfig } = await open(t, ["busybox"]);
    const words = ["capstan.test/busybox:1"];
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    const operator = spawn(programPath(mirrorOperator()), words, { env, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    operator.stderr.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
    t.after(async () => {
      const gone = once(operator, "exit");
      if (operator.exitCode === null && operator.kill("SIGTERM")) await gone;
    });
    const metadata = { name: "wish", namespace, labels: { mirror: "deployment" } };
    await client.create(ConfigMap, { metadata, data: { size: "2" } });
    const isTold = async (count: string): Promise<boolean> => {
      assert.equal(operator.exitCode, null, said);
      const { annotations = {} } = (await client.get(ConfigMap, { namespace, name: "wish" })).metadata;
      return annotations["ready"] === count;
    };
    await until("it has seen two pods become ready", () => isTold("2"));
    await client.patch(ConfigMap, { namespace, name: "wish" }, { merge: { data: { size: "1" } } });
    await until("it has seen one of them go", () => isTold("1"));
    const deployment = await client.get(Deployment, { namespace, name: "wish" });
    assert.equal(deployment.metadata.ownerReferences?.[0]?.kind, "ConfigMap");
    await client.delete(ConfigMap, { namespace, name: "wish" });
    await until("what it made goes with its owner", () =>
      client.get(Deployment, { namespace, name: "wish" }).then(
        () => false,
        (error: unknown) => isApiError(error, "NotFound"),
      ),
    );
  });
}
