/** Serves the content of ClusterCatalogs by HTTP, with the paths of catalogd. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answerCatalogRequest, type ServedCatalog } from "@capstan/bundle";
import type { CatalogStore } from "@capstan/lifecycle";
import { CliError } from "../errors.ts";

/** A server of catalogs. */
export interface CatalogPages extends AsyncDisposable {
  /** The address without the name of a catalog. */
  readonly url: string;
  /** Serves the catalogs of a store from now on. */
  readonly serve: (catalogs: Pick<CatalogStore, "get">) => void;
}

/** Listens on an address of this machine. */
export async function openCatalogPages(port: number): Promise<CatalogPages> {
  const host = "127.0.0.1";
  let store: Pick<CatalogStore, "get"> | undefined;
  const since = new Map<string, Date>();
  const find = (name: string): ServedCatalog | undefined => {
    const content = store?.get(`/${name}`)?.content?.content;
    if (content === undefined) return undefined;
    const modified = since.get(content.digest) ?? new Date();
    since.set(content.digest, modified);
    return { content, modified };
  };
  const server = createServer((request, response) => {
    answerCatalogRequest(request, response, find).catch(() => response.destroy());
  });
  await new Promise<void>((done, failed) => {
    server.once("error", (cause) =>
      failed(
        new CliError("BadInput", `cannot listen on ${host}:${port}: ${cause.message}; choose another --catalog-port`, {
          cause,
        }),
      ),
    );
    server.listen(port, host, done);
  });
  // A server that listens on a port has an address of this form.
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${bound}/catalogs`,
    serve: (catalogs) => {
      store = catalogs;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
