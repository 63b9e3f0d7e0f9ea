/** `capstan image build` and `capstan image push`: the operator's image, without Docker. */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Platform, Store } from "@capstan/oci";
import { type Command, defineCommand } from "../command/define.ts";
import { atPath } from "../disk-error.ts";
import { CliError, toCliError } from "../errors.ts";
import { shareWithClusters } from "../image/know.ts";
import { makeImage } from "../image/make.ts";
import { entryOption } from "../project/program.ts";
import { writeArchive } from "../registry/archive.ts";
import { pushBuilt } from "../registry/images.ts";
import { insecureOption } from "../registry/session.ts";
import type { Terminal } from "../terminal.ts";

/** Builds the image. */
export const imageBuild: Command = defineCommand({
  describe:
    "Node, the packages that the program loads, and the program; runs as nobody, with a read-only root. The same sources give the same digest. A list of its parts (SPDX) is in /usr/share/sbom, and is pushed with the image.",
  arguments: [{ name: "IMAGE", describe: "what the image is called", presence: "required" }],
  options: {
    entry: entryOption,
    from: { type: "text", value: "IMAGE", describe: "an image with Node to build on (this machine's Node)" },
    platform: { type: "list", value: "OS/ARCH", describe: "what it runs on: linux/amd64,linux/arm64 (this machine)" },
    label: { type: "list", value: "KEY=VALUE", describe: "labels of the image" },
    archive: { type: "text", value: "FILE", describe: "also write an OCI archive" },
    sbom: { type: "text", value: "FILE", describe: "also write the list of its parts" },
    local: { type: "yes-no", describe: "also put it where capstan cluster finds it (yes)" },
    insecure: insecureOption,
  },
  examples: [
    { line: "capstan image build registry.example.com/app:v0.1.0", does: "Build it; then capstan image push" },
    {
      line: "capstan image build registry.example.com/app:v0.1.0 --from docker.io/library/node:24-slim --platform linux/amd64,linux/arm64",
      does: "For two platforms",
    },
  ],
  run: async ({ options, args: [name = ""], terminal }) => {
    const { store, descriptor, sbom, sizes, tag } = await makeImage(
      name,
      {
        entry: options.entry,
        from: options.from,
        ...(options.platform.length === 0 ? {} : { platforms: options.platform.map(parsePlatform) }),
        labels: Object.fromEntries(options.label.map(parseLabel)),
        insecure: options.insecure,
      },
      terminal,
    );
    if (options.archive !== undefined) await writeArchive(tag, store, resolve(terminal.cwd, options.archive));
    if (options.sbom !== undefined) await atPath(options.sbom, writeFile(resolve(terminal.cwd, options.sbom), sbom));
    for (const { platform, bytes } of sizes)
      terminal.err(`  ${platform.os}/${platform.architecture}  ${(bytes / 1e6).toFixed(1)} MB compressed\n`);
    if (options.local !== false) await makeKnown(tag, store, terminal);
    terminal.out(`${name}@${descriptor.digest}\n`);
  },
});

/** Puts the image where the clusters of this machine find it without a registry. Images for other platforms are skipped. */
async function makeKnown(name: string, store: Store, terminal: Terminal): Promise<void> {
  try {
    if (await shareWithClusters(name, store, terminal))
      terminal.err("  capstan cluster finds it, and dev --pods real\n");
  } catch (error) {
    // The build succeeded; a push does not need a cluster.
    terminal.err(`  capstan cluster does not find it: ${toCliError(error).message}\n`);
  }
}

function parsePlatform(text: string): Platform {
  const [os = "", architecture = "", variant] = text.split("/");
  if (os === "" || architecture === "")
    throw new CliError("Usage", `--platform takes OS/ARCH such as linux/arm64, not ${text}`);
  return { os, architecture, ...(variant === undefined ? {} : { variant }) };
}

function parseLabel(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new CliError("Usage", `--label takes KEY=VALUE, not ${text}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Pushes it. */
export const imagePush: Command = defineCommand({
  arguments: [{ name: "IMAGE", describe: "what it was built as", presence: "required" }],
  options: { insecure: insecureOption },
  examples: [
    { line: "capstan image push registry.example.com/app:v0.1.0", does: "Push what was built under this name" },
  ],
  run: async ({ options, args: [name = ""], terminal }) => {
    const digest = await pushBuilt(name, { terminal, insecure: options.insecure });
    terminal.out(`${name}@${digest}\n`);
  },
});
