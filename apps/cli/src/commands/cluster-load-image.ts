/** `capstan cluster load-image`: puts images where the pods of this user's clusters find them. */
import { resolve } from "node:path";
import { loadArchive, openStore } from "@capstan/oci";
import { defineCommand, type Command } from "../command/define.ts";
import { imagesFolder } from "../embedded/places.ts";

/** Loads images. */
export const clusterLoadImage: Command = defineCommand({
  describe: "All clusters of this user share one store, so an image is loaded once and also before a cluster starts.",
  arguments: [
    { name: "archive", describe: "an OCI archive, or what docker save wrote", presence: "required" },
    { name: "more", describe: "more of them", presence: "many" },
  ],
  options: {},
  examples: [{ line: "capstan cluster load-image app.tar", does: "Make the images of app.tar known" }],
  run: async ({ args, terminal }) => {
    const store = await openStore(imagesFolder(terminal));
    for (const archive of args) {
      for (const name of await loadArchive(resolve(terminal.cwd, archive), store)) terminal.out(`loaded ${name}\n`);
    }
  },
});
