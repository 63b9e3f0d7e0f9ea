import assert from "node:assert/strict";
import { test } from "node:test";
import { admissionSteps, startApiServer } from "../src/index.ts";
import { ask } from "./ask.ts";

const pods = "/api/v1/namespaces/default/pods";
const accounts = "/api/v1/namespaces/default/serviceaccounts";
const pod = (spec: object = {}, metadata: object = {}): object => ({
  metadata: { name: "p", ...metadata },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

interface Pod {
  readonly spec: {
    readonly serviceAccountName?: string;
    readonly imagePullSecrets?: readonly object[];
    readonly volumes?: readonly { readonly name: string; readonly projected?: { readonly defaultMode?: number } }[];
    readonly containers: readonly { readonly volumeMounts?: readonly { readonly mountPath: string }[] }[];
  };
}

test("a pod gets the default account with its token and pull secrets", async () => {
  await using server = await startApiServer({ admission: admissionSteps });
  await ask(server, "POST", accounts, { metadata: { name: "default" }, imagePullSecrets: [{ name: "pull" }] });
  const { status, body, text } = await ask(server, "POST", pods, pod());
  assert.equal(status, 201, text);
  const { spec } = body as Pod;
  assert.equal(spec.serviceAccountName, "default");
  assert.deepEqual(spec.imagePullSecrets, [{ name: "pull" }]);
  assert.match(spec.volumes?.[0]?.name ?? "", /^kube-api-access-[a-z0-9]{5}$/);
  assert.equal(spec.volumes?.[0]?.projected?.defaultMode, 420);
  assert.equal(spec.containers[0]?.volumeMounts?.[0]?.mountPath, "/var/run/secrets/kubernetes.io/serviceaccount");
});

test("a pod of a missing account is rejected", async () => {
  await using server = await startApiServer({ admission: admissionSteps });
  const { status, body } = await ask(server, "POST", pods, pod({ serviceAccountName: "robot" }));
  assert.equal(status, 403);
  assert.equal(
    (body as { message: string }).message,
    'pods "p" is forbidden: error looking up service account default/robot: serviceaccount "robot" not found',
  );
});

test("an account can enforce that pods use only its secrets", async () => {
  await using server = await startApiServer({ admission: admissionSteps });
  const annotations = { "kubernetes.io/enforce-mountable-secrets": "true" };
  await ask(server, "POST", accounts, { metadata: { name: "default", annotations }, secrets: [{ name: "mine" }] });
  const env = (name: string): object => ({ name: "A", valueFrom: { secretKeyRef: { name, key: "k" } } });
  const using = (name: string): object => pod({ containers: [{ name: "c", image: "i", env: [env(name)] }] });
  const { body } = await ask(server, "POST", pods, using("other"));
  assert.equal(
    (body as { message: string }).message,
    'pods "p" is forbidden: container c with envVar A referencing secret.secretName="other" is not allowed because service account default does not reference that secret',
  );
  assert.equal((await ask(server, "POST", pods, using("mine"))).status, 201);
});
