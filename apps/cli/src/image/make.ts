/** Builds the image of the project's operator into the store of the project, under a name. */
import { attachDocument, formatReference, parseReference, type Platform, platformOf } from "@capstan/oci";
import { resolve } from "node:path";
import { withProgress } from "../output/progress.ts";
import { openProject } from "../project/disk.ts";
import { findEntry } from "../project/program.ts";
import { documentName, openImages } from "../registry/images.ts";
import type { Terminal } from "../terminal.ts";
import { type BuiltImage, buildOperatorImage } from "./build.ts";

/** What the image is made of; everything has a default. */
export interface WantedImage {
  readonly entry: string | undefined;
  readonly from?: string | undefined;
  /** Default: that of this machine. */
  readonly platforms?: readonly Platform[];
  readonly labels?: { readonly [key: string]: string };
  readonly insecure: boolean;
}

/** The image, and its full name. */
export async function makeImage(
  name: string,
  { entry: asked, from, platforms = [platformOf(process)], labels = {}, insecure }: WantedImage,
  terminal: Terminal,
): Promise<BuiltImage & { readonly tag: string }> {
  const reference = parseReference(name);
  const root = await openProject(terminal.cwd).then(
    (project) => project.root,
    () => terminal.cwd,
  );
  const entry = await findEntry({ cwd: terminal.cwd, root, entry: asked });
  const wanted = {
    root: asked === undefined ? root : rootOf(entry, root),
    entry,
    from,
    platforms,
    labels,
    conditions: process.execArgv.filter((flag) => flag.startsWith("--conditions=")),
  };
  const built = await withProgress(terminal, `building ${name}`, () =>
    buildOperatorImage(wanted, () => openImages(terminal), { terminal, insecure }),
  );
  const tag = formatReference(reference);
  const { store, descriptor, sbom } = built;
  await store.tag(tag, descriptor);
  const bytes = Buffer.from(sbom);
  const document = await attachDocument(descriptor, { type: "application/spdx+json", bytes }, store);
  await store.tag(documentName(tag), document);
  return { ...built, tag };
}

/** The root of an entry outside of the project is the folder of the entry. */
function rootOf(entry: string, root: string): string {
  return entry.startsWith(`${root}/`) ? root : resolve(entry, "..");
}
