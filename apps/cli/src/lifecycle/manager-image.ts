/** Builds the image of the lifecycle manager with the builder of operators' images: a program of one line that depends on this package. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Descriptor, formatReference, openStore, parseReference, platformOf, type Store } from "@capstan/oci";
import { buildOperatorImage } from "../image/build.ts";
import { openImages } from "../registry/images.ts";
import { shareImage } from "../registry/share.ts";
import type { Terminal } from "../terminal.ts";

const program = `/** The lifecycle manager. */
import { fileURLToPath } from "node:url";
import { runManager } from "@capstan/cli/manager";

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await runManager(process.argv.slice(2));
`;

/** What is built. */
export interface ManagerImage {
  readonly name: string;
  readonly version: string;
  /** A base image with Node; undefined for the Node of this machine. */
  readonly from: string | undefined;
  readonly insecure: boolean;
}

/** Builds it into the store of images, and puts it where the clusters of this machine find it. */
export async function buildManagerImage(wanted: ManagerImage, terminal: Terminal): Promise<Descriptor> {
  const root = await mkdtemp(join(tmpdir(), "capstan-manager-"));
  try {
    const manifest = {
      name: "capstan-lifecycle-manager",
      version: wanted.version,
      license: "Apache-2.0",
      type: "module",
    };
    await writeFile(join(root, "package.json"), JSON.stringify(manifest));
    await writeFile(join(root, "main.js"), program);
    await mkdir(join(root, "node_modules/@capstan"), { recursive: true });
    await symlink(ownPackage(), join(root, "node_modules/@capstan/cli"));
    const { store, descriptor } = await buildOperatorImage(
      {
        root,
        entry: join(root, "main.js"),
        from: wanted.from,
        platforms: [platformOf(process)],
        labels: {},
        conditions: process.execArgv.filter((flag) => flag.startsWith("--conditions=")),
      },
      () => openImages(terminal),
      { terminal, insecure: wanted.insecure },
    );
    const tag = formatReference(parseReference(wanted.name));
    await store.tag(tag, descriptor);
    await share(tag, store, terminal);
    return descriptor;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** The folder of this package. */
function ownPackage(): string {
  // src/lifecycle/manager-image.ts, or dist/main.js in a published package.
  const here = dirname(fileURLToPath(import.meta.url));
  return join(here.slice(0, here.search(/\/(?:src|dist)(?:\/|$)/u)));
}

async function share(name: string, store: Store, terminal: Terminal): Promise<void> {
  const { userImageFolder } = await import("@capstan/cluster");
  const folder = userImageFolder(terminal.env);
  if (folder !== undefined) await shareImage({ name, platform: platformOf(process) }, store, await openStore(folder));
}
