/** The front proxy has an authority of its own: client certificates are not trusted to name other users, and it is no client. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { request } from "node:https";
import { test } from "node:test";
import { validFor } from "@capstan/pki";
import { startApiServer, type ApiServer } from "../src/index.ts";

interface Pair {
  readonly certificate: string;
  readonly privateKey: string;
}

async function ask(server: ApiServer, path: string, body?: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const init = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  return (await server.fetch(new Request(`http://in-process${path}`, init))).json();
}

function isSignedBy(certificate: string, authority: string): boolean {
  const [one, ca] = [new X509Certificate(certificate), new X509Certificate(authority)];
  return one.checkIssued(ca) && one.verify(ca.publicKey);
}

/** The status of a request with a client certificate; `undefined` if the connection is refused. */
async function statusWith({ url = "" }: ApiServer, { certificate, privateKey }: Pair): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const options = { cert: certificate, key: privateKey, rejectUnauthorized: false, agent: false };
  request(`${url}/api/v1/namespaces`, options, (response) => resolve(response.resume().statusCode))
    .once("error", () => resolve(undefined))
    .end();
  return promise;
}

test("the front proxy has an authority that signs no clients, and is no client", async () => {
  const called = Promise.withResolvers<Pair>();
  await using server = await startApiServer({
    listen: { port: 0 },
    resolveService: () => ({ host: "127.0.0.1", port: 1 }),
    async outgoing({ identity }) {
      called.resolve(identity ?? assert.fail("no certificate"));
      return { status: 200, headers: {}, body: Buffer.from("{}") };
    },
  });
  const published = (await ask(
    server,
    "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication",
  )) as { readonly data: { readonly [name: string]: string } };
  const clients = published.data["client-ca-file"] ?? "";
  const frontProxy = published.data["requestheader-client-ca-file"] ?? "";
  const service = { namespace: "default", name: "extension" };
  const spec = { type: "ExternalName", externalName: "a.example.com", ports: [{ port: 443 }] };
  await ask(server, "/api/v1/namespaces/default/services", { metadata: { name: "extension" }, spec });
  await ask(server, "/apis/apiregistration.k8s.io/v1/apiservices", {
    metadata: { name: "v1.a.dev" },
    spec: { group: "a.dev", version: "v1", groupPriorityMinimum: 1, versionPriority: 1, service },
  });
  const identity = await called.promise;
  assert.ok(isSignedBy(identity.certificate, frontProxy));
  assert.ok(!isSignedBy(identity.certificate, clients));
  const validity = validFor({ now: new Date(), days: 1 });
  const client = server.authority.issue({ commonName: "front-proxy-client", usages: ["client"], ...validity });
  assert.ok(isSignedBy(client.certificate, clients));
  assert.ok(!isSignedBy(client.certificate, frontProxy));
  assert.equal(await statusWith(server, client), 403, "a known user without rights");
  assert.notEqual(await statusWith(server, identity), 200);
  const serving = server.authority.issue({
    commonName: "x",
    organizations: ["system:masters"],
    usages: ["server"],
    ...validity,
  });
  assert.notEqual(await statusWith(server, serving), 200, "the certificate of a server is no client");
});
