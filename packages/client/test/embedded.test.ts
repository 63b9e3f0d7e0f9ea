import { test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import type { ApiServer } from "@capstan/apiserver";
import { Namespace, ServiceAccount } from "@capstan/kinds/v1";
import { impersonationHeaders } from "../src/credential/user-credential.ts";
import { createClient, inProcess } from "../src/index.ts";
import type { ApiWarning, Client, ClusterConfig, Transport, UserEntry } from "../src/index.ts";
import { cases } from "./cases.ts";

const namespace = "test";

async function prepare(client: Client): Promise<void> {
  await client.create(Namespace, { metadata: { name: namespace } });
  // There is no controller manager to create it.
  await client.create(ServiceAccount, { metadata: { name: "default", namespace } });
}

function inProcessAs(server: ApiServer, { proof, impersonate }: UserEntry): Transport {
  const transport = inProcess(server.fetch);
  const extra = {
    ...(proof.type === "token" ? { authorization: `Bearer ${proof.token}` } : {}),
    ...(impersonate === undefined ? {} : impersonationHeaders(impersonate)),
  };
  return { request: (request) => transport.request({ ...request, headers: { ...request.headers, ...extra } }) };
}

function configOf(server: ApiServer, user: UserEntry): ClusterConfig {
  const certificateAuthority = { data: server.authority.certificate };
  const proof = user.proof.type === "none" ? ({ type: "token", token: server.token } as const) : user.proof;
  return {
    name: "embedded",
    namespace,
    user: { ...user, proof },
    cluster: { server: server.url ?? "", certificateAuthority },
  };
}

for (const { name, run } of cases) {
  test(`on the embedded API server in process, ${name}`, async () => {
    await using server = await startApiServer();
    const warnings: ApiWarning[] = [];
    const client = createClient(inProcess(server.fetch), { onWarning: (warning) => warnings.push(warning) });
    await prepare(client);
    await run({ client, namespace, warnings, clientOf: (user) => createClient(inProcessAs(server, user)) });
  });

  test(`on the embedded API server over the network, ${name}`, async () => {
    await using server = await startApiServer({ listen: { port: 0, host: "127.0.0.1", tls: true } });
    const warnings: ApiWarning[] = [];
    const admin: UserEntry = { proof: { type: "none" } };
    await using client = createClient(configOf(server, admin), { onWarning: (warning) => warnings.push(warning) });
    await prepare(client);
    await run({ client, namespace, warnings, clientOf: (user) => createClient(configOf(server, user)) });
  });
}
