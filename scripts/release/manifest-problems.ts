/** What a package must state and contain before it is published. */

/** The fields of a package.json that the rules read. */
export interface PublishedManifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly homepage?: string;
  readonly bugs?: string;
  readonly license?: string;
  readonly repository?: { readonly url?: string; readonly directory?: string };
  readonly engines?: { readonly node?: string };
  readonly bin?: { readonly [name: string]: string };
  readonly exports?: unknown;
  readonly scripts?: { readonly [name: string]: string };
  readonly publishConfig?: { readonly access?: string };
  readonly dependencies?: { readonly [name: string]: string };
}

/** A package and the files of its tarball. */
export interface Candidate {
  readonly folder: string;
  readonly manifest: PublishedManifest;
  readonly files: readonly string[];
}

/** One line for each problem; none if the packages can be published together. */
export function manifestProblems(candidates: readonly Candidate[]): readonly string[] {
  const versions = new Map(candidates.map(({ manifest }) => [manifest.name, manifest.version]));
  return candidates.flatMap((candidate) =>
    [...stated(candidate), ...packed(candidate), ...together(candidate, versions)].map(
      (problem) => `${candidate.folder}: ${problem}`,
    ),
  );
}

const required = ["description", "keywords", "homepage", "bugs", "license", "repository", "engines"] as const;

function stated({ folder, manifest }: Candidate): readonly string[] {
  const missing = required.filter((field) => manifest[field] === undefined).map((field) => `${field} is missing`);
  return [
    ...missing,
    ...(manifest.repository?.directory === folder ? [] : [`repository.directory must be ${folder}`]),
    ...(manifest.scripts?.["prepack"] === undefined ? ["no prepack script builds it"] : []),
    // npm publishes a scoped package to members only, unless it says otherwise.
    ...(manifest.name.startsWith("@") && manifest.publishConfig?.access !== "public"
      ? ["publishConfig.access must be public"]
      : []),
  ];
}

function packed({ manifest, files }: Candidate): readonly string[] {
  const there = new Set(files);
  const targets = [...Object.values(manifest.bin ?? {}), ...targetsOf(manifest.exports)].map((path) =>
    path.replace(/^\.\//u, ""),
  );
  return [
    ...["README.md", "LICENSE"].filter((file) => !there.has(file)).map((file) => `${file} is not in the tarball`),
    ...targets.filter((path) => !isThere(path, there)).map((path) => `${path} is not in the tarball`),
    ...files.filter((file) => /\.(?:test|type-test)\./u.test(file)).map((file) => `${file} is a test`),
  ];
}

/** The files that a user's import reaches; the condition of the checkout's sources is for the checkout. */
function targetsOf(exports: unknown): readonly string[] {
  if (typeof exports === "string") return [exports];
  if (typeof exports !== "object" || exports === null) return [];
  return Object.entries(exports).flatMap(([key, value]) => (key === "@capstan/source" ? [] : targetsOf(value)));
}

function isThere(path: string, files: ReadonlySet<string>): boolean {
  const [start = "", end] = path.split("*");
  if (end === undefined) return files.has(path);
  return [...files].some((file) => file.startsWith(start) && file.endsWith(end));
}

/** All packages of a release need each other in the same version. */
function together({ manifest }: Candidate, versions: ReadonlyMap<string, string>): readonly string[] {
  return Object.entries(manifest.dependencies ?? {}).flatMap(([name, version]) => {
    if (!/^\d/u.test(version)) return [`the dependency ${name} is not pinned: ${version}`];
    const own = versions.get(name);
    if (own === undefined && name.startsWith("@capstan/")) return [`the dependency ${name} is not published`];
    return own === undefined || own === version ? [] : [`${name} is released as ${own}, not as ${version}`];
  });
}
