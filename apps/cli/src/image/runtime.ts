/** The lowest layer: Node, from this machine or from an image, and the few files around it. */
import { readFile, stat } from "node:fs/promises";
import {
  buildImage,
  type Descriptor,
  type LayerEntry,
  parseReference,
  type Platform,
  platformOf,
  programEntries,
  type Store,
} from "@capstan/oci";
import { CliError } from "../errors.ts";
import { pull, type Transfer } from "../registry/images.ts";
import { loadablePart } from "./loadable.ts";

/** The base of the operator's image. */
export interface Runtime {
  readonly image: Descriptor;
  readonly node: string;
}

/** An image with the Node of this machine, built once. */
export async function localRuntime(store: Store, platform: Platform): Promise<Runtime> {
  const here = platformOf(process);
  if (platform.os !== here.os || platform.architecture !== here.architecture)
    throw new CliError(
      "Usage",
      `this machine's Node runs on ${here.os}/${here.architecture}; for ${platform.os}/${platform.architecture} name an image with Node: --from docker.io/library/node:24-slim`,
    );
  const { size, mtimeMs } = await stat(process.execPath);
  const name = `capstan.invalid/node-loadable:${process.version}-${here.architecture}-${size}-${Math.trunc(mtimeMs)}`;
  const node = "/usr/local/bin/node";
  const known = await store.find(name);
  if (known !== undefined) return { image: known, node };
  const programs = (await programEntries(process.execPath, { at: node })).map(withoutSymbols);
  const layer = [...programs, ...(await around())];
  const image = await buildImage({ platform, layers: [layer] }, store);
  await store.tag(name, image);
  return { image, node };
}

/** A tenth of the compressed size of Node are symbols and debug information. */
function withoutSymbols(entry: LayerEntry): LayerEntry {
  return entry.type === "file" && Buffer.isBuffer(entry.body) ? { ...entry, body: loadablePart(entry.body) } : entry;
}

/** An unprivileged user, a writable folder, and the CA certificates. */
async function around(): Promise<LayerEntry[]> {
  const certificates = await readFile("/etc/ssl/certs/ca-certificates.crt").catch(() => undefined);
  return [
    {
      path: "/etc/passwd",
      type: "file",
      body: "root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/operator:/sbin/nologin\n",
    },
    { path: "/etc/group", type: "file", body: "root:x:0:\nnonroot:x:65532:\n" },
    { path: "/tmp", type: "directory", mode: 0o1777 },
    // Mount points of container runtimes, which must exist in a read-only root.
    ...["/proc", "/sys", "/dev", "/run"].map((path): LayerEntry => ({ path, type: "directory" })),
    ...(certificates === undefined
      ? []
      : [{ path: "/etc/ssl/certs/ca-certificates.crt", type: "file" as const, body: certificates }]),
  ];
}

/** An image from a registry with Node in its PATH. */
export async function foreignRuntime(name: string, store: Store, transfer: Transfer): Promise<Runtime> {
  return { image: await pull(parseReference(name), store, transfer), node: "node" };
}
