import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { connect } from "node:tls";
import { createAuthority, validFor } from "@capstan/pki";
import type { KeyedCertificate } from "@capstan/pki";
import { defineResource, s } from "@capstan/schema";
import type { Resource } from "@capstan/schema";
import { silentLog } from "../log.ts";
import { Registry } from "../metrics/registry.ts";
import { VirtualClock } from "../testing/clock.ts";
import { openFolderWebhooks } from "./folder.ts";
import type { FolderWebhooks } from "./folder.ts";
import { httpsEndpoint } from "./https.ts";
import { placeOf } from "./where.ts";

const Disk = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Disk",
  spec: s.object({ size: s.string() }),
  validate: ({ object, reject }) => {
    if (object.spec.size === "0Gi") reject("spec.size", "is nothing");
  },
}) as unknown as Resource;

const now = new Date();
const authority = createAuthority({ commonName: "somebody else", now, days: 1 });

function issued(commonName: string): KeyedCertificate {
  return authority.issue({ ...validFor({ now, days: 1 }), commonName, dnsNames: ["localhost"], usages: ["server"] });
}

interface Stage {
  readonly clock: VirtualClock;
  readonly folder: string;
  readonly webhooks: FolderWebhooks;
  readonly put: (pair: Partial<KeyedCertificate>, name?: string) => Promise<void>;
  /** The certificate that a client gets. */
  readonly shown: () => Promise<string | undefined>;
}

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-certificates-"));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

async function putInto(
  folder: string,
  { certificate, privateKey }: Partial<KeyedCertificate>,
  name: string,
): Promise<void> {
  if (certificate !== undefined) await writeFile(join(folder, `${name}.crt`), certificate);
  if (privateKey !== undefined) await writeFile(join(folder, `${name}.key`), privateKey);
}

async function stage(t: TestContext, { name = "tls" }: { readonly name?: string } = {}): Promise<Stage> {
  const folder = await makeFolder(t);
  const put = (pair: Partial<KeyedCertificate>): Promise<void> => putInto(folder, pair, name);
  await put(issued("first"));
  const clock = new VirtualClock();
  let port = 0;
  const endpoint = httpsEndpoint(async (server) => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
    return { by: "url", url: "https://localhost" };
  });
  const options = { resources: [Disk], clock, log: silentLog, registry: new Registry(), endpoint, folder };
  const webhooks = await openFolderWebhooks(options);
  t.after(() => webhooks[Symbol.asyncDispose]());
  return { clock, folder, webhooks, put, shown: () => subjectAt(port) };
}

async function subjectAt(port: number): Promise<string | undefined> {
  const socket = connect({ port, host: "127.0.0.1", servername: "localhost", ca: authority.certificate });
  await once(socket, "secureConnect");
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

/** Advances the clock until a client gets the named certificate; the files are read in real time. */
async function untilShown({ clock, shown }: Stage, name: string): Promise<void> {
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    if ((await shown()) === name) return;
    await clock.advance(10_000);
  }
  assert.fail(`nobody was shown the certificate of ${name}`);
}

describe("certificates in a folder", () => {
  test("are served, and so are their replacements", async (t) => {
    const place = await stage(t);
    assert.equal(await place.shown(), "first");
    await place.put(issued("second"));
    await untilShown(place, "second");
    await place.put(issued("third"));
    await untilShown(place, "third");
  });

  test("may have the file names that OLM uses for API services", async (t) => {
    assert.equal(await (await stage(t, { name: "apiserver" })).shown(), "first");
  });

  test("are not served while only the key or the certificate is replaced", async (t) => {
    const place = await stage(t);
    const next = issued("next");
    await place.put({ certificate: next.certificate });
    await assert.rejects(place.webhooks.check(), { code: "BadSetting", message: /does not belong to the key/u });
    assert.equal(await place.shown(), "first");
    await place.put(next);
    await untilShown(place, "next");
  });

  test("if missing, keep an operator from starting, but not from running on", async (t) => {
    const folder = await makeFolder(t);
    const endpoint = () => assert.fail("nothing may be opened");
    const options = {
      resources: [Disk],
      clock: new VirtualClock(),
      log: silentLog,
      registry: new Registry(),
      endpoint,
    };
    await assert.rejects(openFolderWebhooks({ ...options, folder }), {
      code: "BadSetting",
      message: /there is no tls\.crt with its tls\.key/u,
    });
    const place = await stage(t);
    await rm(join(place.folder, "tls.key"));
    await place.clock.advance(60_000);
    assert.equal(await place.shown(), "first");
  });

  test("are registered by their provider: the CRD stays as it is", async (t) => {
    const { webhooks } = await stage(t);
    const crd = Disk.toCrd();
    assert.equal(webhooks.completeCrd(crd), crd);
  });

  test("are served on the default port wherever the API server is", () => {
    const place = placeOf({
      address: undefined,
      url: undefined,
      isRegisteredByOthers: true,
      service: "disks-webhook",
      namespace: "disks",
      isInCluster: false,
      server: "https://prod.example.com",
    });
    assert.equal(place.listen, ":9443");
  });
});
