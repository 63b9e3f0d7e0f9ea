import assert from "node:assert/strict";
import { test } from "node:test";
import { testHost } from "../../test/host.ts";
import { ConfigError } from "../error/config-error.ts";
import type { ConfigProblem } from "../error/config-error.ts";
import { loadConfig, loadKubeconfig } from "./load.ts";
import type { LoadOptions } from "./load.ts";

const pem = Buffer.from("-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n").toString("base64");

const one = `
apiVersion: v1
kind: Config
current-context: dev
contexts:
- name: dev
  context: { cluster: dev, user: dev, namespace: apps }
- name: other
  context: { cluster: other, user: dev }
clusters:
- name: dev
  cluster: { server: "https://dev:6443", certificate-authority: pki/ca.crt, tls-server-name: api.dev }
users:
- name: dev
  user: { client-certificate: pki/me.crt, client-key-data: ${pem}, as: alice, as-groups: [a, b], as-user-extra: { scopes: [x] } }
`;
const two = `
current-context: prod
contexts:
- name: prod
  context: { cluster: prod, user: prod }
clusters:
- name: prod
  cluster: { server: "https://prod", certificate-authority-data: ${pem}, proxy-url: "socks5://proxy:1080" }
- name: dev
  cluster: { server: "https://not-this-one" }
users:
- name: prod
  user: { token: secret, tokenFile: token }
`;

const host = (env: Record<string, string> = {}, files: Record<string, string> = {}): ReturnType<typeof testHost> =>
  testHost({ env, files: { "/home/me/.kube/config": one, "/etc/two.yaml": two, ...files } });

const refuses = (promise: Promise<unknown>, problem: ConfigProblem, sentence: RegExp): Promise<void> =>
  assert.rejects(promise, (error) => {
    assert.ok(error instanceof ConfigError, String(error));
    assert.equal(error.problem, problem);
    assert.match(error.message, sentence);
    return true;
  });

test("~/.kube/config is the default, and its paths are relative to it", async () => {
  const config = await loadConfig(host());
  assert.equal(config.name, "dev");
  assert.equal(config.namespace, "apps");
  assert.deepEqual(config.cluster.certificateAuthority, { file: "/home/me/.kube/pki/ca.crt" });
  assert.equal(config.cluster.tlsServerName, "api.dev");
  assert.deepEqual(config.user.clientCertificate, { file: "/home/me/.kube/pki/me.crt" });
  assert.deepEqual(config.user.impersonate, {
    user: "alice",
    uid: undefined,
    groups: ["a", "b"],
    extra: { scopes: ["x"] },
  });
});

test("KUBECONFIG is a list: missing files are skipped and the first entry wins", async () => {
  const listed = host({ KUBECONFIG: "/nowhere:/etc/two.yaml:/home/me/.kube/config:" });
  const config = await loadConfig(listed);
  assert.equal(config.name, "prod");
  assert.equal(config.cluster.proxyUrl, "socks5://proxy:1080");
  const dev = await loadConfig(listed, { context: "dev" });
  assert.equal(dev.cluster.server, "https://not-this-one");
});

test("a token file wins over a token and is relative to its file", async () => {
  const { user } = await loadConfig(host(), { kubeconfig: "/etc/two.yaml" });
  assert.deepEqual(user.proof, { type: "tokenFile", file: "/etc/token" });
});

test("null fields are absent: a user with null plugins uses its token", async () => {
  const text = user('{ token: "t", exec: null, auth-provider: null }');
  const config = await loadConfig(testHost({ files: { "/c": text } }), { kubeconfig: "/c" });
  assert.deepEqual(config.user.proof, { type: "token", token: "t" });
});

test("context, cluster, user and namespace can be overridden individually", async () => {
  const listed = host({ KUBECONFIG: "/home/me/.kube/config:/etc/two.yaml" });
  const config = await loadConfig(listed, { context: "dev", cluster: "prod", user: "prod", namespace: "here" });
  assert.equal(config.cluster.server, "https://prod");
  assert.equal(config.user.proof.type, "tokenFile");
  assert.equal(config.namespace, "here");
});

test("a server without scheme is HTTP, or HTTPS with certificates", async () => {
  const load = async (cluster: string): Promise<string> => {
    const text = user("{}").replace('{ server: "https://c" }', cluster);
    return (await loadConfig(testHost({ files: { "/c": text } }), { kubeconfig: "/c" })).cluster.server;
  };
  assert.equal(await load('{ server: "c:8080" }'), "http://c:8080");
  assert.equal(await load('{ server: "c:6443", insecure-skip-tls-verify: true }'), "https://c:6443");
});

test("without a kubeconfig a pod uses its service account files", async () => {
  const pod = testHost({
    env: { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" },
    files: { "/var/run/secrets/kubernetes.io/serviceaccount/namespace": "mine\n" },
  });
  const config = await loadConfig(pod);
  assert.equal(config.cluster.server, "https://[fd00::1]:443");
  assert.equal(config.namespace, "mine");
  assert.deepEqual(config.user.proof, {
    type: "tokenFile",
    file: "/var/run/secrets/kubernetes.io/serviceaccount/token",
  });
});

test("a kubeconfig wins over the pod's service account", async () => {
  const config = await loadConfig(host({ KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" }));
  assert.equal(config.name, "dev");
});

test("JSON is valid, and an empty file is not a configuration", async () => {
  assert.equal(await loadKubeconfig(testHost({ files: { "/home/me/.kube/config": "\n" } })), undefined);
  const json = JSON.stringify({ contexts: [], clusters: [{ name: "a", cluster: { server: "https://a" } }], users: [] });
  const config = await loadConfig(testHost({ files: { "/a.json": json } }), { kubeconfig: "/a.json", cluster: "a" });
  assert.equal(config.cluster.server, "https://a");
});

const user = (fields: string): string => `
current-context: c
contexts: [{ name: c, context: { cluster: c, user: u } }]
clusters: [{ name: c, cluster: { server: "https://c" } }]
users: [{ name: u, user: ${fields} }]
`;

const bad: readonly [name: string, text: string, problem: ConfigProblem, sentence: RegExp, options?: LoadOptions][] = [
  ["text that is not YAML", "a: [", "Malformed", /^Cannot use \/bad: it is not YAML \(.*\)\. Correct it there\.$/u],
  ["a list instead of an object", "- a", "Malformed", /its content must be an object/u],
  ["a field of the wrong type", "clusters: 5", "Malformed", /clusters must be a list/u],
  [
    "a field of the wrong type within",
    user("{}").replace('"https://c"', "5"),
    "Malformed",
    /clusters\[0\]\.cluster\.server must be a string/u,
  ],
  ["no current context", "clusters: []", "Missing", /no current-context/u],
  ["a context that is not there", "current-context: x", "Missing", /no context "x"; there is no context in it/u],
  ["another context that is not there", one, "Missing", /no context "x"; there are dev, other/u, { context: "x" }],
  ["a cluster that is not there", one, "Missing", /no cluster "other"; there are dev/u, { context: "other" }],
  ["a server that is no address", user("{}").replace("https://c", "ftp://c"), "Malformed", /no usable server/u],
  ["no server", user("{}").replace("https://c", ""), "Malformed", /no usable server/u],
  [
    "a name that stands twice",
    user("{}").replace("users: [", "users: [{ name: u, user: {} }, "),
    "Contradiction",
    /the name "u" stands twice/u,
  ],
  [
    "data that is not PEM",
    user("{ client-certificate-data: eHh4, client-key-data: eHh4 }"),
    "Malformed",
    /client-certificate-data of the user "u" is not a PEM/u,
  ],
  ["a certificate without its key", user("{ client-certificate: a }"), "Contradiction", /but not both/u],
  [
    "groups without a user",
    user("{ as-groups: [system:masters] }"),
    "Contradiction",
    /the user "u" has .* without as\./u,
  ],
  [
    "groups with an empty user",
    user("{ as: '', as-groups: [a] }"),
    "Contradiction",
    /the user "u" has .* without as\./u,
  ],
  [
    "extras without a user",
    user("{ as-user-extra: { a: [b] } }"),
    "Contradiction",
    /the user "u" has .* without as\./u,
  ],
  [
    "a plugin and a provider",
    user("{ exec: { command: a, apiVersion: client.authentication.k8s.io/v1 }, auth-provider: { name: oidc } }"),
    "Contradiction",
    /both exec and auth-provider/u,
  ],
  [
    "a plugin of an old version",
    user("{ exec: { command: a, apiVersion: client.authentication.k8s.io/v1alpha1 } }"),
    "Contradiction",
    /v1alpha1; known are/u,
  ],
  [
    "a removed provider",
    user("{ auth-provider: { name: gcp } }"),
    "Contradiction",
    /gcp, which Kubernetes has given up/u,
  ],
];

/** Each adds one invalid entry, which must not matter unless it is chosen. */
const unused: readonly [name: string, list: "contexts" | "clusters" | "users", entry: string, sentence: RegExp][] = [
  ["a user of a removed provider", "users", "user: { auth-provider: { name: gcp } }", /the user "x" wants .*gcp/u],
  [
    "a user with a plugin of an old version",
    "users",
    "user: { exec: { command: a, apiVersion: client.authentication.k8s.io/v1alpha1 } }",
    /the user "x" has an exec plugin of/u,
  ],
  ["an invalid user", "users", "user: 5", /users\[1\]\.user must be an object/u],
  ["a user with half a certificate", "users", "user: { client-key: a }", /the user "x" has .* but not both/u],
  [
    "a cluster with a bad authority",
    "clusters",
    "cluster: { server: 'https://x', certificate-authority-data: bm90IHBlbQ== }",
    /certificate-authority-data of the cluster "x" is not a PEM/u,
  ],
  [
    "a cluster with a bad server",
    "clusters",
    "cluster: { server: 5 }",
    /clusters\[1\]\.cluster\.server must be a string/u,
  ],
  ["a context of numbers", "contexts", "context: { cluster: 5 }", /contexts\[1\]\.context\.cluster must be a string/u],
];

for (const [name, list, entry, sentence] of unused) {
  test(`${name} does not matter until it is chosen`, async () => {
    const text = user("{ token: t }").replace(`${list}: [`, `${list}: [{ ${entry} }, { name: x, ${entry} }, `);
    const load = (options: LoadOptions): ReturnType<typeof loadConfig> =>
      loadConfig(testHost({ files: { "/c": text } }), { kubeconfig: "/c", ...options });
    assert.equal((await load({})).cluster.server, "https://c");
    await assert.rejects(load({ [list.slice(0, -1)]: "x" }), sentence);
  });
}

for (const [name, text, problem, sentence, options] of bad) {
  test(`one sentence rejects ${name}`, async () => {
    await refuses(
      loadConfig(testHost({ files: { "/bad": text } }), { kubeconfig: "/bad", ...options }),
      problem,
      sentence,
    );
  });
}

test("a missing explicit file and a missing configuration are errors", async () => {
  await refuses(
    loadConfig(testHost(), { kubeconfig: "/gone" }),
    "Unreadable",
    /^Cannot read the kubeconfig \/gone: ENOENT/u,
  );
  await refuses(loadConfig(testHost()), "NoConfiguration", /^No cluster is configured: there is neither a kubeconfig/u);
});

test("the error names the files of KUBECONFIG if none exists", async () => {
  const sentence = (files: string, what: string): RegExp =>
    new RegExp(
      `^No cluster is configured: KUBECONFIG says ${files}, but ${what} missing or empty\\. Correct KUBECONFIG, or`,
      "u",
    );
  const named = (env: string): Promise<unknown> =>
    loadConfig(testHost({ env: { KUBECONFIG: env }, files: { "/empty": "" } }));
  await refuses(named("/nope"), "NoConfiguration", sentence("/nope", "that file is"));
  await refuses(named("/nope:/empty"), "NoConfiguration", sentence("/nope:/empty", "those files are"));
});
