import assert from "node:assert/strict";
import { test } from "node:test";
import { testHost } from "../../test/host.ts";
import { isApiError } from "../error/api-error.ts";
import type { ClusterEntry, ExecEntry, UserEntry } from "../kubeconfig/kubeconfig.ts";
import { certificateOf } from "./certificate.ts";
import { execPlugin } from "./exec.ts";
import { credentialOf, impersonationHeaders } from "./of-user.ts";
import { tokenFile } from "./token-file.ts";

const exec: ExecEntry = {
  apiVersion: "client.authentication.k8s.io/v1",
  command: "login",
  args: ["--cluster", "a"],
  env: [{ name: "PROFILE", value: "dev" }],
  interactiveMode: "IfAvailable",
  provideClusterInfo: true,
  installHint: "Get it from the shop.",
};
const cluster: ClusterEntry = {
  server: "https://a",
  certificateAuthority: { data: "CA" },
  execConfig: { audience: "x" },
};

const print = (status: object, apiVersion = exec.apiVersion): { stdout: string } => ({
  stdout: JSON.stringify({ apiVersion, kind: "ExecCredential", status }),
});

test("an exec plugin is run once, told about the cluster, and again when its token has expired or is refused", async () => {
  let runs = 0;
  const host = testHost({
    env: { PATH: "/bin" },
    program: () => {
      runs += 1;
      const expirationTimestamp = new Date(host.clock.wall() + 60_000).toISOString();
      return print({ token: `token-${runs}`, expirationTimestamp });
    },
  });
  const credential = execPlugin(host, exec, cluster);
  const [first, same] = await Promise.all([credential.current(), credential.current()]);
  assert.equal(first, same);
  assert.equal(first?.headers["authorization"], "Bearer token-1");
  await host.clock.advance(59_000);
  assert.equal(await credential.current(), first);
  await host.clock.advance(2000);
  const second = await credential.current();
  assert.equal(second.headers["authorization"], "Bearer token-2");
  const third = await credential.renew(second);
  assert.equal(third.headers["authorization"], "Bearer token-3");
  assert.equal(await credential.renew(second), third, "a token that was replaced meanwhile is not replaced again");
  const [ran] = host.ran;
  const env = ran?.env ?? {};
  assert.equal(ran?.interactive, false);
  assert.equal(env["PROFILE"], "dev");
  assert.deepEqual(JSON.parse(env["KUBERNETES_EXEC_INFO"] ?? ""), {
    apiVersion: exec.apiVersion,
    kind: "ExecCredential",
    spec: {
      interactive: false,
      cluster: { server: "https://a", "certificate-authority-data": "Q0E=", config: { audience: "x" } },
    },
  });
});

test("an exec plugin may give a certificate instead of a token", async () => {
  const host = testHost({ program: () => print({ clientCertificateData: "CERT", clientKeyData: "KEY" }) });
  const identity = await execPlugin(host, exec, cluster).current();
  assert.deepEqual(identity, { headers: {}, cert: "CERT", key: "KEY" });
});

const failures: readonly [
  name: string,
  host: ReturnType<typeof testHost>,
  sentence: RegExp,
  entry?: Partial<ExecEntry>,
][] = [
  ["that is not installed", testHost(), /login: the program was not found\. Get it from the shop\.$/u],
  [
    "that fails",
    testHost({ program: () => ({ code: 1, stderr: "no session\n" }) }),
    /ended with code 1 \(no session\)/u,
  ],
  ["that prints something else", testHost({ program: () => ({ stdout: "hello" }) }), /did not print JSON/u],
  [
    "of another version",
    testHost({ program: () => print({ token: "a" }, "client.authentication.k8s.io/v1beta1") }),
    /v1beta1 ExecCredential instead of/u,
  ],
  ["that prints no credential", testHost({ program: () => print({}) }), /neither a token nor a certificate/u],
  [
    "that must ask without a terminal",
    testHost({ program: () => print({ token: "a" }) }),
    /there is no terminal/u,
    { interactiveMode: "Always" },
  ],
];

for (const [name, host, sentence, entry] of failures) {
  test(`an exec plugin ${name} is told in one sentence`, async () => {
    const credential = execPlugin(host, { ...exec, ...entry }, cluster);
    await assert.rejects(Promise.resolve(credential.current()), (error) => {
      assert.ok(isApiError(error, "CredentialsFailed"));
      assert.match(error.message, sentence);
      return true;
    });
  });
}

test("a token file is read again after a minute and when its token is refused, and outlives a moment without it", async () => {
  const host = testHost({ files: { "/token": "one\n" } });
  const credential = tokenFile(host, "/token");
  assert.equal((await credential.current()).headers["authorization"], "Bearer one");
  host.files.set("/token", "two");
  assert.equal((await credential.current()).headers["authorization"], "Bearer one");
  await host.clock.advance(60_001);
  const two = await credential.current();
  assert.equal(two.headers["authorization"], "Bearer two");
  host.files.set("/token", "three");
  assert.equal((await credential.renew(two)).headers["authorization"], "Bearer three");
  host.files.delete("/token");
  await host.clock.advance(60_001);
  assert.equal((await credential.current()).headers["authorization"], "Bearer three");
});

test("a certificate that changed on disk is another identity, one that did not is the same", async () => {
  const host = testHost({ files: { "/crt": "C1", "/key": "K1" } });
  const user: UserEntry = { proof: { type: "none" }, clientCertificate: { file: "/crt" }, clientKey: { file: "/key" } };
  const credential = certificateOf(host, user);
  const first = await credential.current();
  assert.equal(await credential.renew(first), first);
  host.files.set("/crt", "C2");
  assert.equal((await credential.renew(first)).cert, "C2");
});

test("user and password become a basic header, impersonation becomes headers", async () => {
  const user: UserEntry = { proof: { type: "basic", username: "me", password: "pw" } };
  const identity = await credentialOf(testHost(), { name: "", cluster, user, namespace: "" }).current();
  assert.equal(identity.headers["authorization"], "Basic bWU6cHc=");
  assert.deepEqual(impersonationHeaders({ user: "a", groups: ["g", "h"], extra: { "Scopes/x": ["1"] } }), {
    "impersonate-user": "a",
    "impersonate-group": ["g", "h"],
    "impersonate-extra-scopes%2fx": ["1"],
  });
});
