/** The images of a project: its store, pushes and pulls. */
import { resolve } from "node:path";
import {
  type Descriptor,
  formatReference,
  openStore,
  parseReference,
  pullImage,
  pushAttachment,
  pushImage,
  type Reference,
  type Store,
} from "@capstan/oci";
import type { Terminal } from "../terminal.ts";
import { withProgress } from "../output/progress.ts";
import { CliError } from "../errors.ts";
import { exists, openProject } from "../project/disk.ts";
import { openSession } from "./session.ts";

/** Opens the store of images before a push: in the project, not in version control. */
export async function openImages(terminal: Terminal): Promise<Store> {
  return openStore(await imagesFolder(terminal));
}

/** Opens the store only if it exists, so that a lookup creates no folder. */
async function findImages(terminal: Terminal): Promise<Store | undefined> {
  const folder = await imagesFolder(terminal);
  return (await exists(folder)) ? openStore(folder) : undefined;
}

async function imagesFolder({ cwd }: Terminal): Promise<string> {
  const root = await openProject(cwd).then(
    (project) => project.root,
    () => cwd,
  );
  return resolve(root, ".capstan/images");
}

/** A locally built image and its store. */
export async function findBuilt(
  reference: Reference,
  terminal: Terminal,
): Promise<{ readonly store: Store; readonly descriptor: Descriptor } | undefined> {
  const store = await findImages(terminal);
  const descriptor = await store?.find(formatReference(reference));
  return store === undefined || descriptor === undefined ? undefined : { store, descriptor };
}

/** The input of a transfer. */
export interface Transfer {
  readonly terminal: Terminal;
  readonly insecure: boolean;
}

/** Pulls an image into a store. */
export async function pull(reference: Reference, store: Store, transfer: Transfer): Promise<Descriptor> {
  const session = await openSession(reference, transfer);
  return withProgress(transfer.terminal, `pulling ${formatReference(reference)}`, () =>
    pullImage(reference, { store, session, platform: "all" }),
  );
}

/** Pushes the image that was built under this name; returns its digest. */
export async function pushBuilt(name: string, transfer: Transfer): Promise<string> {
  const reference = parseReference(name);
  const built = await findBuilt(reference, transfer.terminal);
  if (built === undefined)
    throw new CliError("BadInput", `no image was built as ${name}; there is: ${await names(transfer.terminal)}`);
  const { store, descriptor } = built;
  const session = await openSession(reference, transfer);
  await withProgress(transfer.terminal, `pushing ${name}`, () => pushImage(descriptor, reference, { store, session }));
  const document = await store.find(documentName(formatReference(reference)));
  if (document !== undefined) await pushAttachment(document, reference, { store, session });
  return descriptor.digest;
}

/** The name in the store of the SBOM of an image. */
export function documentName(image: string): string {
  return `${image}#sbom`;
}

async function names(terminal: Terminal): Promise<string> {
  const list = ((await (await findImages(terminal))?.list()) ?? [])
    .map(({ name }) => name)
    .filter((name) => !/#sbom$|^capstan\.invalid\//.test(name));
  return list.length === 0 ? "none; build one first" : list.join(", ");
}

/** The digest of a reference in its registry, without pulling the image. */
export async function findDigest(image: string, transfer: Transfer): Promise<string> {
  const reference = parseReference(image);
  if (reference.digest !== undefined) return image;
  const session = await openSession(reference, transfer);
  const accept = [
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
  ].join(", ");
  const response = await session.ask(`/v2/${reference.repository}/manifests/${reference.tag ?? "latest"}`, {
    method: "HEAD",
    headers: { accept },
  });
  const digest = response.headers.get("docker-content-digest");
  if (digest === null) throw new CliError("Registry", `${reference.registry} does not say which digest ${image} has`);
  return `${image.replace(/:[^:/]*$/, "")}@${digest}`;
}
