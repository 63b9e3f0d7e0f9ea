/** Made-up platforms of images, for the validator that looks at images in registries: the same for the oracle and for us. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ImagePlatform } from "../../src/index.ts";

const linux = (...architectures: readonly string[]): ImagePlatform[] =>
  architectures.map((architecture) => ({ os: "linux", architecture }));

const choices: readonly (readonly ImagePlatform[] | undefined)[] = [
  linux("amd64"),
  linux("amd64", "arm64"),
  undefined,
  [
    ...linux("amd64", "arm64", "s390x"),
    { os: "windows", architecture: "amd64" },
    { os: "unknown", architecture: "unknown" },
  ],
];

/** What an image runs on, by its name; some cannot be looked at. */
export function platformsFor(image: string): readonly ImagePlatform[] | { readonly problem: string } {
  const sum = Array.from(image).reduce((total, char) => (total * 31 + (char.codePointAt(0) ?? 0)) % 65_521, 7);
  return choices[sum % choices.length] ?? { problem: `docker pull ${image} failed with error: (exit status 1) ` };
}

/** Writes a program named docker that responds from files. */
export function writeFakeDocker(folder: string, images: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  for (const image of images) {
    const platforms = platformsFor(image);
    if ("problem" in platforms) continue;
    const manifests = platforms.map((platform) => ({ platform }));
    writeFileSync(join(folder, `${fileName(image)}.json`), JSON.stringify({ manifests }));
  }
  const script = `#!/bin/sh
for name; do :; done
file="$ORACLE_IMAGES/$(printf %s "$name" | tr '/:@ ' '____').json"
test -f "$file" || exit 1
test "$1" = pull || cat "$file"
`;
  writeFileSync(join(folder, "docker"), script);
  chmodSync(join(folder, "docker"), 0o755);
}

function fileName(image: string): string {
  return image.replaceAll(/[/:@ ]/g, "_");
}
