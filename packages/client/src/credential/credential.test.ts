import assert from "node:assert/strict";
import { test } from "node:test";
import { testHost } from "../../test/host.ts";
import { isApiError } from "../error/api-error.ts";
import { ConnectionError } from "../error/connection-error.ts";
import type { Host } from "../host/host.ts";
import type { ClusterEntry, ExecEntry, OidcEntry, UserEntry } from "../kubeconfig/kubeconfig.ts";
import { cached } from "./cached.ts";
import { certificateOf } from "./certificate.ts";
import { execPlugin } from "./exec.ts";
import { oidcProvider } from "./oidc.ts";
import { credentialOf, impersonationHeaders } from "./user-credential.ts";
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

test("an exec plugin runs once, and again after its token expires or is rejected", async () => {
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

test("an exec plugin may return a certificate instead of a token", async () => {
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
  [
    "that prints null",
    testHost({ program: () => ({ stdout: "null" }) }),
    /its output is not an ExecCredential\. Check/u,
  ],
  ["that prints a list", testHost({ program: () => ({ stdout: "[]" }) }), /its output is not an ExecCredential/u],
  [
    "that prints a null status",
    testHost({ program: () => print(null as never) }),
    /neither a token nor a certificate/u,
  ],
  [
    "that prints an empty token",
    testHost({ program: () => print({ token: "" }) }),
    /neither a token nor a certificate/u,
  ],
  [
    "that prints a number",
    testHost({ program: () => print({ token: 42 }) }),
    /the token that it printed is not a string\./u,
  ],
  [
    "that prints a token of two lines",
    testHost({ program: () => print({ token: "a\r\nx-evil: 1" }) }),
    /^Cannot use the token of the exec plugin login: it has characters that no token has\. Log in again/u,
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
  test(`one sentence explains an exec plugin ${name}`, async () => {
    const credential = execPlugin(host, { ...exec, ...entry }, cluster);
    await assert.rejects(Promise.resolve(credential.current()), (error) => {
      assert.ok(isApiError(error, "CredentialsFailed"));
      assert.match(error.message, sentence);
      return true;
    });
  });
}

test("a token file is read again after a minute and a rejection, and may be absent", async () => {
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

test("a changed certificate file is a new identity", async () => {
  const host = testHost({ files: { "/crt": "C1", "/key": "K1" } });
  const user: UserEntry = { proof: { type: "none" }, clientCertificate: { file: "/crt" }, clientKey: { file: "/key" } };
  const credential = certificateOf(host, user);
  const first = await credential.current();
  assert.equal(await credential.renew(first), first);
  host.files.set("/crt", "C2");
  assert.equal((await credential.renew(first)).cert, "C2");
});

test("basic auth and impersonation become headers", async () => {
  const user: UserEntry = { proof: { type: "basic", username: "me", password: "pw" } };
  const identity = await credentialOf(testHost(), { name: "", cluster, user, namespace: "" }).current();
  assert.equal(identity.headers["authorization"], "Basic bWU6cHc=");
  assert.deepEqual(impersonationHeaders({ user: "a", groups: ["g", "h"], extra: { "Scopes/x": ["1"] } }), {
    "impersonate-user": "a",
    "impersonate-group": ["g", "h"],
    "impersonate-extra-scopes%2fx": ["1"],
  });
});

const tokens: readonly (readonly [string, () => unknown, RegExp])[] = [
  [
    "an empty file",
    () => tokenFile(testHost({ files: { "/t": "\n" } }), "/t").current(),
    /the file \/t: it is empty\./u,
  ],
  [
    "a file of two lines",
    () => tokenFile(testHost({ files: { "/t": "a\nb" } }), "/t").current(),
    /no token has\. Log in/u,
  ],
  ["a file that is missing", () => tokenFile(testHost(), "/t").current(), /Put the file there, or correct the conf/u],
  [
    "a kubeconfig, with letters that no header has",
    () =>
      credentialOf(testHost(), {
        name: "",
        cluster,
        user: { proof: { type: "token", token: "\u00e4" } },
        namespace: "",
      }),
    /the token of the kubeconfig: it has characters/u,
  ],
  [
    "an issuer that is not a URL",
    () => oidcProvider(testHost(), { issuer: "not a url", clientId: "x", refreshToken: "r" } as OidcEntry).current(),
    /"not a url\/\.well-known\/openid-configuration" is not a URL\. Log in again\./u,
  ],
];

for (const [name, use, sentence] of tokens) {
  test(`one sentence explains a token of ${name}`, async () => {
    await assert.rejects(
      async () => void (await use()),
      (error) => {
        assert.ok(isApiError(error));
        assert.match(error.message, sentence);
        return true;
      },
    );
  });
}

test("a caller may stop waiting, and the fetch ends with the last caller", async () => {
  const signals: AbortSignal[] = [];
  const hangs = cached(testHost().clock, (signal) => {
    signals.push(signal);
    return new Promise(() => undefined);
  });
  const [one, two] = [new AbortController(), new AbortController()];
  const [first, second] = [hangs.current(one.signal), hangs.current(two.signal)];
  one.abort(new Error("enough"));
  await assert.rejects(Promise.resolve(first), /enough/u);
  assert.deepEqual([signals.length, signals[0]?.aborted], [1, false]);
  two.abort(new Error("enough, too"));
  await assert.rejects(Promise.resolve(second), /enough, too/u);
  assert.equal(signals[0]?.aborted, true);
  void hangs.current();
  assert.equal(signals.length, 2, "the next caller starts again");
});

test("an interactive login may outlast a call, and the next call joins it", async () => {
  const printed = Promise.withResolvers<{ code: number; stdout: string; stderr: string }>();
  const signals: (AbortSignal | undefined)[] = [];
  const host: Host = {
    ...testHost({ hasTerminal: true }),
    run({ signal }) {
      signals.push(signal);
      return printed.promise;
    },
  };
  const credential = execPlugin(host, exec, cluster);
  const late = (): ConnectionError =>
    new ConnectionError({ code: "DeadlineExceeded", server: "https://a", sent: true });
  for (let times = 0; times < 2; times += 1) {
    const limit = new AbortController();
    const waiting = Promise.resolve(credential.current(limit.signal));
    waiting.catch(() => {});
    limit.abort(late());
    await assert.rejects(
      waiting,
      (error) => isApiError(error, "DeadlineExceeded") && /plugin login/u.test(error.message),
    );
  }
  const next = credential.current();
  printed.resolve({ code: 0, stderr: "", ...print({ token: "a" }) });
  assert.equal((await next).headers["authorization"], "Bearer a");
  assert.deepEqual(
    signals.map((signal) => signal?.aborted),
    [false],
  );
});

test("a renewed but equal credential keeps its identity", async () => {
  const credential = execPlugin(testHost({ program: () => print({ token: "a" }) }), exec, cluster);
  const first = await credential.current();
  assert.equal(await credential.renew(first), first);
});
