/**
 * The images that the backup stories need in addition to etcd's: the operator's, which contains the agent, and the S3-compatible server.
 */
import { join } from "node:path";
import { buildNodeImage, buildPrograms, programPath, showProgress } from "@capstan/kubernetes";
import { buildImage, openStore, programEntries, saveArchive } from "@capstan/oci";
import { build } from "esbuild";
import { gateway } from "../s3/server.ts";

export const OPERATOR_IMAGE = "capstan.test/etcd-operator:1";
export const S3_IMAGE = "capstan.test/versitygw:1";

/** Builds both images into a folder; returns the paths of their archives. */
export async function buildBackupImages(folder: string): Promise<readonly string[]> {
  return [await buildOperatorImage(folder), await buildS3Image(folder)];
}

/** Bundles the whole operator into one file and puts it in an image. */
export async function buildOperatorImage(folder: string): Promise<string> {
  const program = join(folder, "operator.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "../../src/main.ts")],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    conditions: ["@capstan/source"],
    // Some dependencies are CommonJS and load Node's modules with `require`.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error",
  });
  const archive = join(folder, "operator.tar");
  await buildNodeImage({ reference: OPERATOR_IMAGE, program, archive });
  return archive;
}

async function buildS3Image(folder: string): Promise<string> {
  await buildPrograms([gateway], showProgress(process.stderr));
  const store = await openStore(join(folder, "s3-image"));
  const layer = await programEntries(programPath(gateway), { at: "/versitygw" });
  const platform = { os: "linux", architecture: process.arch === "arm64" ? "arm64" : "amd64" };
  const image = await buildImage({ platform, layers: [layer], config: { Entrypoint: ["/versitygw"] } }, store);
  await store.tag(S3_IMAGE, image);
  const archive = join(folder, "s3.tar");
  await saveArchive(S3_IMAGE, store, archive);
  return archive;
}
