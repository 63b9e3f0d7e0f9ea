import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@capstan/model";
import { createAuthority, createPrivateKeyPem, splitBundle, toJwtKey, validFor } from "@capstan/pki";
import { openAccess, tokenAuthenticator } from "../access.ts";
import type { Call, Headers } from "../call.ts";
import type { Authenticator } from "./authenticator.ts";
import { certificateAuthenticator } from "./certificate.ts";
import { alwaysAllow, type AccessAttributes } from "../authorize/authorizer.ts";
import { impersonationOf } from "./impersonation.ts";
import { checkToken, issueToken, type TokenAuthority } from "./service-account.ts";
import { anonymous, type UserInfo } from "./user.ts";

const call = (headers: Headers, more: Partial<Call> = {}): Call => ({
  method: "GET",
  url: "/api",
  headers,
  body: () => Promise.resolve(new Uint8Array()),
  signal: new AbortController().signal,
  remoteAddress: "127.0.0.1",
  ...more,
});

const account: KubeObject = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: "robot", namespace: "lab", uid: "u1" },
};
const pod: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "lab", uid: "u2" } };

function authority(objects: readonly KubeObject[], now = Date.parse("2026-01-01T00:00:00Z")): TokenAuthority {
  return {
    issuer: "https://here",
    audiences: ["https://here"],
    privateKeyPem: key,
    now: () => now,
    uid: () => "id",
    lookup: { list: () => [], get: (_, name) => objects.find(({ metadata }) => metadata.name === name) },
  };
}
const key = createPrivateKeyPem();

function authenticator(known: { readonly [token: string]: UserInfo }, given = authority([])): Authenticator {
  return tokenAuthenticator(openAccess({ ...given, authorizer: alwaysAllow, known: new Map(Object.entries(known)) }));
}

test("a static token authenticates its user, and an unknown token is rejected", async () => {
  const tokens = authenticator({ secret: { name: "ann", groups: ["dev"] } });
  assert.deepEqual(await tokens.authenticate(call({ authorization: "Bearer secret" })), {
    type: "user",
    user: { name: "ann", groups: ["dev", "system:authenticated"] },
    audiences: ["https://here"],
  });
  assert.equal((await tokens.authenticate(call({ authorization: "Bearer other" }))).type, "rejected");
  assert.equal((await tokens.authenticate(call({}))).type, "none");
});

test("a token is the part after one space", async () => {
  const tokens = authenticator({ secret: { name: "ann", groups: ["dev"] } });
  const said = async (authorization: string): Promise<string> => {
    const { type } = await tokens.authenticate(call({ authorization }));
    return type;
  };
  assert.equal(await said("bearer secret more"), "user");
  assert.equal(await said(" Bearer secret "), "user");
  assert.equal(await said("Bearer"), "none");
  assert.equal(await said("Bearer\tsecret"), "none");
  assert.equal(await said("Bearersecret secret"), "none");
  assert.deepEqual(await tokens.authenticate(call({ authorization: "Bearer  secret" })), {
    type: "none",
    warning: "the provided Authorization header contains extra space before the bearer token, and is ignored",
  });
});

test("a token may come as a WebSocket protocol", async () => {
  const tokens = authenticator({ secret: { name: "ann", groups: [] } });
  const bearer = (text: string): string => `base64url.bearer.authorization.k8s.io.${text}`;
  const secret = bearer(Buffer.from("secret").toString("base64url"));
  const said = async (protocol: string, headers: object): Promise<string> =>
    (await tokens.authenticate(call({ "sec-websocket-protocol": protocol, ...headers }))).type;
  const upgrade = { connection: "keep-alive, Upgrade", upgrade: "WebSocket" };
  assert.equal(await said(`v5.channel.k8s.io, ${secret}`, upgrade), "user");
  assert.equal(await said(`v5.channel.k8s.io, ${secret}`, {}), "none", "no upgrade");
  assert.equal(await said(`v5.channel.k8s.io, ${secret}`, { upgrade: "websocket" }), "none", "no connection header");
  assert.equal(await said(`v5.channel.k8s.io, ${secret}`, { ...upgrade, upgrade: "SPDY/3.1" }), "none");
  assert.equal(await said(`a, ${secret}, ${secret}`, upgrade), "rejected", "two tokens");
  assert.equal(await said(secret, upgrade), "rejected", "no other protocol");
  assert.equal(await said(`a, ${bearer("!")}`, upgrade), "rejected", "not base64");
  assert.equal(await said(`a, ${bearer(Buffer.of(0xff).toString("base64url"))}`, upgrade), "rejected", "not UTF-8");
  assert.equal(await said(`a, ${bearer("")}`, upgrade), "none", "no token");
});

test("a service account token carries its account, groups and bound objects", async () => {
  const { token } = issueToken(
    { account, audiences: ["https://here"], seconds: 3600, bound: { kind: "Pod", name: "p", uid: "u2" } },
    authority([account, pod]),
  );
  const found = await authenticator({}, authority([account, pod])).authenticate(
    call({ authorization: `Bearer ${token}` }),
  );
  assert.deepEqual(found, {
    type: "user",
    audiences: ["https://here"],
    user: {
      name: "system:serviceaccount:lab:robot",
      uid: "u1",
      groups: ["system:serviceaccounts", "system:serviceaccounts:lab", "system:authenticated"],
      extra: {
        "authentication.kubernetes.io/credential-id": ["JTI=id"],
        "authentication.kubernetes.io/pod-name": ["p"],
        "authentication.kubernetes.io/pod-uid": ["u2"],
      },
    },
  });
});

test("a token expires after its leeway, with its account or pod, and has an audience", () => {
  const { token } = issueToken(
    { account, audiences: ["https://here"], seconds: 3600, bound: { kind: "Pod", name: "p", uid: "u2" } },
    authority([account, pod]),
  );
  const check = (given: TokenAuthority, audiences = ["https://here"]): string =>
    checkToken(token, audiences, given).type;
  assert.equal(check(authority([account, pod])), "user");
  assert.equal(check(authority([account, pod], Date.parse("2026-01-01T01:01:00Z"))), "user");
  assert.equal(check(authority([account, pod], Date.parse("2026-01-01T01:01:01Z"))), "rejected");
  assert.equal(check(authority([account])), "rejected");
  assert.equal(check(authority([{ ...account, metadata: { ...account.metadata, uid: "new" } }, pod])), "rejected");
  assert.equal(check(authority([account, pod]), ["vault"]), "rejected");
});

test("all forms of a token with spaces are one token, whose signature is verified once", () => {
  const given = authority([account]);
  const { token } = issueToken({ account, audiences: ["https://here"], seconds: 3600 }, given);
  let reads = 0;
  const key = new Proxy(toJwtKey(given.privateKeyPem), {
    get(target, name) {
      reads++;
      return Reflect.get(target, name) as unknown;
    },
  });
  const check = (text: string): string => checkToken(text, ["https://here"], given, key).type;
  assert.equal(check(token), "user");
  assert.ok(reads > 0);
  reads = 0;
  assert.equal(check(`${token}\n\t${" ".repeat(1000)}`), "user");
  assert.equal(reads, 0);
  assert.equal(check(`${token}x`), "rejected");
});

test("a client certificate names the user and the groups", async () => {
  const now = new Date("2026-01-01T00:00:00Z");
  const ca = createAuthority({ commonName: "ca", days: 1, now });
  const { certificate } = ca.issue({
    commonName: "ann",
    organizations: ["dev"],
    usages: ["client"],
    ...validFor({ days: 1, now }),
  });
  const [der = Buffer.alloc(0)] = splitBundle(certificate).map((pem) =>
    Buffer.from(pem.replaceAll(/-----.*?-----|\s/g, ""), "base64"),
  );
  const found = await certificateAuthenticator.authenticate(call({}, { certificate: der }));
  assert.equal(found.type === "user" && found.user.name, "ann");
  assert.deepEqual(found.type === "user" && found.user.groups, ["dev", "system:authenticated"]);
});

const listing: AccessAttributes = {
  type: "resource",
  user: anonymous,
  verb: "list",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "",
  name: "",
};

/** The needs of each way, as `verb resource/subresource name`. */
function needsOf(headers: { readonly [name: string]: string }): string[][] {
  const found = impersonationOf(call(headers), listing);
  assert.equal(found.type, "as");
  if (found.type !== "as") return [];
  return found.ways.map(({ needs }) =>
    needs.map(({ access, never }) => {
      if (access.type === "path") return access.path;
      const what = access.subresource === "" ? access.resource : `${access.resource}/${access.subresource}`;
      return `${access.verb} ${what} ${access.name}${never === undefined ? "" : " never"}`.trim();
    }),
  );
}

test("impersonation needs the constrained verbs, or a permission for each attribute", () => {
  assert.deepEqual(
    needsOf({
      "impersonate-user": "bob",
      "impersonate-group": "a, system:masters",
      "impersonate-extra-team%2fname": "x",
    }),
    [
      [
        "impersonate-on:user-info:list pods",
        "impersonate:user-info users bob",
        "impersonate:user-info groups a",
        "impersonate:user-info groups system:masters never",
        "impersonate:user-info userextras/team/name x",
      ],
      [
        "impersonate users bob",
        "impersonate groups a",
        "impersonate groups system:masters",
        "impersonate userextras/team/name x",
      ],
    ],
  );
  assert.deepEqual(needsOf({ "impersonate-user": "system:node:n" }), [
    ["impersonate-on:arbitrary-node:list pods", "impersonate:arbitrary-node nodes n"],
    ["impersonate users system:node:n"],
  ]);
});

test("a service account brings its groups, and groups without a user are rejected", () => {
  const found = impersonationOf(call({ "impersonate-user": "system:serviceaccount:lab:robot" }), listing);
  assert.deepEqual(found.type === "as" && found.ways[0]?.user.groups, [
    "system:serviceaccounts",
    "system:serviceaccounts:lab",
    "system:authenticated",
  ]);
  assert.equal(impersonationOf(call({ "impersonate-group": "a" }), listing).type, "malformed");
});
