/** `capstan catalog serve`: serves a catalog by the registry gRPC API, and by HTTP as catalogd does. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  answerCatalogRequest,
  type CatalogContent,
  openContentFolder,
  openContentImage,
  openCurrentCatalog,
  startRegistryServer,
} from "@capstan/bundle";
import { withImage } from "../catalog/open.ts";

import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { findDigest, type Transfer } from "../registry/images.ts";
import { insecureOption } from "../registry/session.ts";
import { stopSignal } from "../stop-signal.ts";

/** Runs until it is stopped. */
export const catalogServe: Command = defineCommand({
  describe:
    "A package with a defect is left out and named; the others are served. If a refresh fails, the old content stays.",
  arguments: [{ name: "CATALOG", describe: "a folder, or an image in a registry (./catalog)", presence: "optional" }],
  options: {
    port: {
      type: "text",
      short: "p",
      value: "PORT",
      default: "50051",
      describe: "the port of gRPC; 0 takes any that is free",
    },
    "http-port": { type: "text", value: "PORT", describe: "serve HTTP there too; 0 takes any that is free" },
    name: {
      type: "text",
      value: "NAME",
      default: "catalog",
      describe: "the name in the paths of HTTP: /catalogs/NAME/api/v1/all",
    },
    host: { type: "text", value: "ADDRESS", default: "127.0.0.1", describe: "the address to listen on" },
    "unsafe-host": { type: "flag", describe: "allow an address that others can reach" },
    poll: {
      type: "text",
      value: "SECONDS",
      default: "60",
      describe: "how often to look for a new digest of an image, or for changed files; 0: never",
    },
    insecure: insecureOption,
  },
  progress: "own",
  examples: [
    {
      line: "capstan catalog serve catalog",
      does: "Serve a folder; query it with grpcurl -plaintext localhost:50051 list",
    },
    {
      line: "capstan catalog serve registry.example.com/catalog:latest --http-port 8080",
      does: "Serve an image, follow its tag, and answer curl localhost:8080/catalogs/catalog/api/v1/all",
    },
  ],
  run: async ({ options, args: [name = "catalog"], terminal }) => {
    const began = performance.now();
    const port = portOf(options.port, "--port");
    const http = options["http-port"] === undefined ? undefined : portOf(options["http-port"], "--http-port");
    checkHost(options.host, options["unsafe-host"]);
    const source = await sourceOf(name, { terminal, insecure: options.insecure });
    await using current = await openCurrentCatalog(source, {
      everyMs: source.isFixed ? 0 : secondsOf(options.poll) * 1000,
      onChange: ({ catalog }) => {
        for (const problem of catalog.problems.values()) terminal.err(`left out: ${problem}\n`);
      },
      onError: (error) => terminal.err(`cannot refresh ${name}, the old content stays: ${error.message}\n`),
      now: () => new Date(),
    });
    await using server = await startRegistryServer({
      catalog: () => current.content().catalog,
      host: options.host,
      port,
    });
    await using pages =
      http === undefined
        ? undefined
        : await servePages({ name: options.name, host: options.host, port: http, current });
    const { catalog } = current.content();
    const where = pages === undefined ? "" : ` and ${pages.url}`;
    terminal.out(
      `serving ${catalog.packages.size} packages on ${server.address} (gRPC)${where}, ready in ${((performance.now() - began) / 1000).toFixed(1)} s\n`,
    );
    await stopSignal();
  },
});

interface Pages {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly current: { readonly content: () => CatalogContent; readonly modified: () => Date };
}

async function servePages({ name, host, port, current }: Pages): Promise<AsyncDisposable & { readonly url: string }> {
  const find = (wanted: string) =>
    wanted === name ? { content: current.content(), modified: current.modified() } : undefined;
  const server = createServer((request, response) => {
    answerCatalogRequest(request, response, find).catch(() => response.destroy());
  });
  await new Promise<void>((done, failed) => {
    server.once("error", (cause) =>
      failed(
        new CliError("BadInput", `cannot listen on ${host}:${port}: ${cause.message}; choose another --http-port`, {
          cause,
        }),
      ),
    );
    server.listen(port, host, done);
  });
  // A server that listens on a port has an address of this form.
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${bound}/catalogs/${name}/api/v1/all`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** A catalog and how to find out whether it changed. */
async function sourceOf(
  name: string,
  transfer: Transfer,
): Promise<{
  readonly isFixed: boolean;
  readonly version: () => Promise<string>;
  readonly open: (version: string) => Promise<CatalogContent>;
}> {
  const path = resolve(transfer.terminal.cwd, name);
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return { isFixed: false, version: () => folderVersion(path), open: () => openContentFolder(path) };
  return {
    isFixed: name.includes("@sha256:"),
    version: () => findDigest(name, transfer),
    open: (image) => withImage(image, transfer, ({ descriptor, store }) => openContentImage(descriptor, store)),
  };
}

/** Names, sizes and times of all files: a text that changes when one of them does. */
async function folderVersion(path: string): Promise<string> {
  const files = await readdir(path, { recursive: true, withFileTypes: true });
  const parts = files
    .filter((file) => file.isFile())
    .map(async ({ parentPath, name }) => {
      const { size, mtimeMs } = await stat(join(parentPath, name));
      return `${parentPath}/${name} ${size} ${mtimeMs}`;
    });
  return (await Promise.all(parts)).toSorted().join("\n");
}

function portOf(text: string, option: string): number {
  if (/^[0-9]{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new CliError("Usage", `${option} must be a number up to 65535, not ${JSON.stringify(text)}`);
}

function secondsOf(text: string): number {
  if (/^[0-9]{1,6}$/.test(text)) return Number(text);
  throw new CliError("Usage", `--poll must be a number of seconds, not ${JSON.stringify(text)}`);
}

const loopback = new Set(["127.0.0.1", "::1", "localhost"]);

function checkHost(host: string, unsafe: boolean): void {
  if (loopback.has(host) || unsafe) return;
  throw new CliError("Usage", `--host ${host} can be reached by others; say --unsafe-host if that is meant`);
}
