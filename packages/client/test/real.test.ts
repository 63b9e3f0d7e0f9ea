import { test } from "node:test";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { createClient, loadConfig, processHost } from "../src/index.ts";
import type { ApiWarning, Client, UserEntry } from "../src/index.ts";
import { cases } from "./cases.ts";

const skip = kubernetesMissing();

for (const { name, run } of cases) {
  test(`on the real kube-apiserver, ${name}`, { skip }, async (t) => {
    await using cluster = await useKubernetes(t);
    const config = await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig });
    const warnings: ApiWarning[] = [];
    await using client = createClient(config, { onWarning: (warning) => warnings.push(warning) });
    const clientOf = (user: UserEntry): Client =>
      createClient({ ...config, user: user.proof.type === "none" ? { ...config.user, ...user } : user });
    await run({ client, namespace: cluster.namespace, warnings, clientOf });
  });
}
