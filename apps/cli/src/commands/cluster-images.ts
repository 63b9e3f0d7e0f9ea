/** `capstan cluster images list|remove`: the images that the pods of this user's clusters find without a registry. */
import { pruneUnpackedImages } from "@capstan/cluster";
import { formatReference, openStore, parseReference, platformOf, type Store } from "@capstan/oci";
import { defineCommand, type Command } from "../command/define.ts";
import { imagesFolder } from "../embedded/places.ts";
import { listRecords } from "../embedded/record.ts";
import { CliError } from "../errors.ts";
import { outputOption, print } from "../output/print.ts";

/** Lists images. */
export const clusterImagesList: Command = defineCommand({
  describe: "Images come here by cluster load-image, by image build, and when a pod has them pulled.",
  options: { output: outputOption },
  examples: [
    { line: "capstan cluster images list", does: "Show the images and their sizes" },
    { line: "capstan cluster images list -o json", does: "The same for a script" },
  ],
  run: async ({ options: { output }, terminal }) => {
    const store = await openStore(imagesFolder(terminal));
    const images = (await store.list()).toSorted((a, b) => a.name.localeCompare(b.name));
    const value = await Promise.all(
      images.map(async ({ name, descriptor }) => ({
        name,
        digest: descriptor.digest,
        bytes: await sizeOf(store, descriptor),
      })),
    );
    const rows = value.map(({ name, digest, bytes }) => [name, digest.slice(0, 19), `${(bytes / 1e6).toFixed(1)} MB`]);
    await print({ terminal, output }, { value, table: { titles: ["IMAGE", "DIGEST", "SIZE"], rows } });
  },
});

/** The compressed size of an image's layers on disk; layers of other platforms are not counted. */
async function sizeOf(store: Store, descriptor: Parameters<Store["image"]>[0]): Promise<number> {
  try {
    const { manifest } = await store.image(descriptor, platformOf(process));
    return manifest.layers.reduce((sum, { size }) => sum + size, 0);
  } catch {
    return 0;
  }
}

/** Removes images. */
export const clusterImagesRemove: Command = defineCommand({
  describe:
    "Pods that run keep their files: while a cluster runs, what was unpacked for them stays, and goes with the next removal after it.",
  arguments: [
    { name: "image", describe: "the name of an image", presence: "required" },
    { name: "more", describe: "more of them", presence: "many" },
  ],
  options: {},
  examples: [{ line: "capstan cluster images remove memcached:1.6", does: "Forget an image and free its room" }],
  run: async ({ args, terminal }) => {
    const store = await openStore(imagesFolder(terminal));
    for (const word of args) {
      const name = await findName(store, word);
      await store.remove(name);
      terminal.out(`removed ${name}\n`);
    }
    // Running clusters may still use the unpacked files.
    if ((await listRecords(terminal)).length === 0) await pruneUnpackedImages(store);
  },
});

async function findName(store: Store, word: string): Promise<string> {
  const names = new Set((await store.list()).map(({ name }) => name));
  const found = [word, formatReference(parseReference(word))].find((name) => names.has(name));
  if (found !== undefined) return found;
  throw new CliError("BadInput", `there is no image ${word}; capstan cluster images list shows those that there are`);
}
