/** User-provided certificates: Secrets of other names are mounted one member after the other, while clients write. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { connect } from "node:tls";
import { createAuthority, validFor } from "capstan/pki";
import { hostOf } from "../../src/pods/index.ts";
import { startWorkload } from "../linearizability/workload.ts";
import { dialThrough } from "../stories/forwarder.ts";
import { LONG_STORY_GROUNDS } from "../stories/ground.ts";
import type { KubeObject } from "../stories/kube.ts";
import { Scene } from "../stories/scene.ts";

type Authority = ReturnType<typeof createAuthority>;

for (const [name, start] of LONG_STORY_GROUNDS) {
  test(`${name}: provided Secrets are used, and replaced without interruption`, async (t) => {
    const scene = await Scene.open(t, await start(t));
    const authority = createAuthority({ commonName: "authority of the house", now: new Date(), days: 1 });
    const old = await giveSecrets(scene, authority, "given");
    await scene.apply({ size: 3, version: "3.6.16", tls: { mode: "Provided", secrets: old.names } });
    const born = await scene.settled("three members are well");
    assert.equal(born.status?.clientSecret, old.names.client);
    assert.deepEqual(await servedBy(scene), [old.server, old.server, old.server]);

    const load = startWorkload({ ...(await scene.ways()), clients: 3, keys: 3, timeoutMs: 2_000, paceMs: 60 });
    let report: ReturnType<typeof load.stop> | undefined;
    const stop = (): ReturnType<typeof load.stop> => (report ??= load.stop());
    t.after(stop);
    await scene.until("clients are served", async () => load.served());
    load.step("other Secrets");
    using pods = countPods(scene);
    const fresh = await giveSecrets(scene, authority, "fresh");
    await scene.edit({ tls: { secrets: fresh.names } });
    await scene.until("every member has the other Secrets", async () => {
      const mounted = (await scene.pods()).map(secretsOf);
      return mounted.length === 3 && mounted.every((names) => isSame(names, [fresh.names.server, fresh.names.peer]));
    });
    const after = await scene.settled("three members are well again");
    assert.deepEqual(await servedBy(scene), [fresh.server, fresh.server, fresh.server]);
    assert.equal(after.status?.clientSecret, fresh.names.client);
    assert.equal(after.status?.clusterId, born.status?.clusterId);
    assert.ok(pods.fewest() >= 2, `there were ${pods.fewest()} pods at a time`);

    load.step("afterwards");
    await scene.until("clients are served with the Secret that they had", async () => load.served());
    const { verdict, steps } = await stop();
    const { acknowledged = 0, longestWriteGapMs = 0 } = steps.find((step) => step.name === "other Secrets") ?? {};
    t.diagnostic(`${name} | other Secrets | ${acknowledged} answers | longest gap ${longestWriteGapMs} ms`);
    assert.equal(verdict.ok, true, JSON.stringify(verdict));
  });
}

/** User-provided Secrets, and the fingerprint of the servers' certificate. */
interface Given {
  readonly names: { readonly server: string; readonly peer: string; readonly client: string };
  readonly server: string;
}

async function giveSecrets(scene: Scene, authority: Authority, prefix: string): Promise<Given> {
  const { namespace } = scene.ground;
  const dnsNames = [`*.${scene.name}.${namespace}.svc`, `${scene.name}-client.${namespace}.svc`, "localhost"];
  const validity = validFor({ now: new Date(), days: 1 });
  const names = { server: `${prefix}-server`, peer: `${prefix}-peer`, client: `${prefix}-client` };
  const issue = async (secret: string, usages: readonly ("server" | "client")[]): Promise<string> => {
    const leaf = authority.issue({ commonName: secret, usages, dnsNames, ...validity });
    const texts = { "tls.crt": leaf.certificate, "tls.key": leaf.privateKey, "ca.crt": authority.certificate };
    const metadata = { name: secret, namespace };
    await scene.kube.apply(scene.path("secrets", secret), {
      apiVersion: "v1",
      kind: "Secret",
      metadata,
      stringData: texts,
    });
    return new X509Certificate(leaf.certificate).fingerprint256;
  };
  const server = await issue(names.server, ["server", "client"]);
  await issue(names.peer, ["server", "client"]);
  await issue(names.client, ["client"]);
  return { names, server };
}

/** The fingerprints of the certificates that each member serves now. */
async function servedBy(scene: Scene): Promise<readonly string[]> {
  const members = (await scene.cluster()).status?.members ?? [];
  return await Promise.all(members.map(({ name }) => scene.until(`${name} is asked`, () => shownBy(scene, name))));
}

/** The fingerprint of the certificate that a member serves. */
async function shownBy(scene: Scene, member: string): Promise<string> {
  const tls = await scene.tls();
  const place = { name: scene.name, namespace: scene.ground.namespace, isSecure: true };
  const dial = dialThrough(scene.ground.socket);
  const socket = await dial({ host: await scene.addressOf(member), port: 2379 }, {});
  const { ca, certificate, privateKey } = tls ?? { ca: "" };
  return await new Promise((resolve, reject) => {
    const options = { socket, servername: hostOf(place, member), ca, cert: certificate, key: privateKey };
    const secured = connect(options, () => {
      const shown = secured.getPeerCertificate().fingerprint256;
      secured.destroy();
      resolve(shown);
    });
    secured.on("error", reject);
  });
}

/** The Secrets that a pod mounts. */
function secretsOf(pod: KubeObject): readonly string[] {
  const { volumes = [] } = pod["spec"] as {
    readonly volumes?: readonly { readonly secret?: { readonly secretName: string } }[];
  };
  return volumes.flatMap(({ secret }) => secret?.secretName ?? []);
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && others.every((one) => some.includes(one));
}

/** Counts the pods that are not being deleted, again and again. */
function countPods(scene: Scene): Disposable & { readonly fewest: () => number } {
  let fewest = Number.POSITIVE_INFINITY;
  const timer = setInterval(() => {
    void scene.pods().then(
      (pods) => {
        const staying = pods.filter(({ metadata }) => metadata["deletionTimestamp"] === undefined);
        fewest = Math.min(fewest, staying.length);
      },
      () => undefined,
    );
  }, 250);
  return { fewest: () => fewest, [Symbol.dispose]: () => clearInterval(timer) };
}
