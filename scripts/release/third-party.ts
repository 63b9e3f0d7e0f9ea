/** The folders of installed packages that a set of packages needs, by the lock file of the checkout. */

/** An entry of `packages` in package-lock.json. */
export interface LockedPackage {
  readonly dependencies?: { readonly [name: string]: string };
  readonly optionalDependencies?: { readonly [name: string]: string };
  readonly link?: boolean;
}

/** The lock file, as far as it is read. */
export interface Lock {
  readonly packages: { readonly [folder: string]: LockedPackage };
}

/** The folders of the packages with these names and of all that they depend on, as Node resolves them. Links are our packages. */
export function installedFolders(names: readonly string[], { packages }: Lock): readonly string[] {
  const found = new Set<string>();
  const queue = names.map((name) => ({ name, from: "" }));
  for (const { name, from } of queue) {
    const folder = resolveFrom(from, name, packages);
    if (folder === undefined || found.has(folder) || packages[folder]?.link === true) continue;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = packages[folder] ?? {};
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies }))
      queue.push({ name: next, from: folder });
  }
  return [...found];
}

/** The nearest `node_modules` that has the package, from the folder outwards. */
function resolveFrom(from: string, name: string, packages: Lock["packages"]): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const folder = at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (folder in packages) return folder;
    if (at === "") return undefined;
  }
}
