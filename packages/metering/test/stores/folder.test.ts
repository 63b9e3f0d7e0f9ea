/** The folder store is a store as all others. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { openFolderStore } from "../../src/index.ts";
import { storeConformance } from "./conformance.ts";

let folder = "";
let count = 0;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "stores-"));
});
after(() => rm(folder, { recursive: true }));

storeConformance("folder", () => ({
  fresh: () => {
    count += 1;
    const place = join(folder, String(count));
    return {
      writer: (wait) => openFolderStore(place, { lock: { pid: process.pid, ...(wait !== undefined && { wait }) } }),
      reader: () => openFolderStore(place),
    };
  },
}));
