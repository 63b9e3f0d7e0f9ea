/** Writes a folder as an image: an OCI layout in a tar, with one layer. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { arch } from "node:os";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";

import { run } from "../command.ts";

/** The configuration of an image, as in the OCI image specification. */
export interface ImageConfig {
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly Env?: readonly string[];
  readonly User?: string;
  readonly WorkingDir?: string;
  readonly ExposedPorts?: Readonly<Record<string, object>>;
  readonly StopSignal?: string;
}

/** An image to be written. */
export interface ImageOptions {
  /** The full names with tags, such as capstan.test/memcached:1.6, under which it can be had. */
  readonly references: readonly string[];
  /** The folder that becomes the root file system; owners become root. */
  readonly root: string;
  readonly config: ImageConfig;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const MEDIA = "application/vnd.oci.image";
const PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** Writes the archive whole or not at all. The same content gives the same bytes. */
export async function writeOciArchive(path: string, options: ImageOptions): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const workshop = await mkdtemp(join(dirname(path), ".image-"));
  try {
    const layout = join(workshop, "layout");
    await mkdir(join(layout, "blobs", "sha256"), { recursive: true });
    await writeLayout(layout, options, await addLayer(layout, options.root));
    await tar(layout, join(workshop, "archive.tar"));
    await rename(join(workshop, "archive.tar"), path);
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

async function writeLayout(layout: string, { references, config }: ImageOptions, layer: Descriptor): Promise<void> {
  const platform = { architecture: ARCHITECTURES[arch()] ?? arch(), os: "linux" };
  const imageConfig = await addJson(layout, `${MEDIA}.config.v1+json`, {
    created: "1970-01-01T00:00:00Z",
    ...platform,
    config: { Env: [PATH], ...config },
    rootfs: { type: "layers", diff_ids: [layer.digest] },
  });
  const mediaType = `${MEDIA}.manifest.v1+json`;
  const manifest = await addJson(layout, mediaType, {
    schemaVersion: 2,
    mediaType,
    config: imageConfig,
    layers: [layer],
  });
  const manifests = references.map((reference) => ({
    ...manifest,
    platform,
    annotations: { "io.containerd.image.name": reference, "org.opencontainers.image.ref.name": reference },
  }));
  const index = { schemaVersion: 2, mediaType: `${MEDIA}.index.v1+json`, manifests };
  await writeFile(join(layout, "index.json"), JSON.stringify(index));
  await writeFile(join(layout, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
}

async function addLayer(layout: string, root: string): Promise<Descriptor> {
  const file = join(layout, "layer.tar");
  await tar(root, file);
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  const digest = hash.digest("hex");
  const { size } = await stat(file);
  await rename(file, join(layout, "blobs", "sha256", digest));
  return { mediaType: `${MEDIA}.layer.v1.tar`, digest: `sha256:${digest}`, size };
}

async function addJson(layout: string, mediaType: string, value: unknown): Promise<Descriptor> {
  const bytes = Buffer.from(JSON.stringify(value));
  const digest = createHash("sha256").update(bytes).digest("hex");
  await writeFile(join(layout, "blobs", "sha256", digest), bytes);
  return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
}

async function tar(folder: string, file: string): Promise<void> {
  const same = ["--sort=name", "--mtime=@0", "--numeric-owner", "--owner=0", "--group=0"];
  await run("tar", [...same, "--directory", folder, "--create", "--file", file, "."], { code: "bad-archive" });
}
