/** What the official tests ask of their images: that each is made under its name, and has in it what they count on. No pod is run. */

import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { arch, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test from "node:test";

import { buildOwn, moduleFolder } from "../src/build.ts";
import { run } from "../src/command.ts";
import { kubernetesModule } from "../src/go-module.ts";
import {
  COMMON_CONFORMANCE_IMAGES,
  areConformanceProgramsBuilt,
  listReferences,
  toImages,
} from "../src/images/conformance-images.ts";
import { CONFORMANCE_RECIPES } from "../src/images/conformance-recipes.ts";
import type { ConformanceRecipe, Sources } from "../src/images/conformance-recipes.ts";
import { writeOciArchive } from "../src/images/oci-archive.ts";
import { silentProgress } from "../src/progress.ts";
import { DEFAULT_RELEASE } from "../src/releases.ts";

const isCi = process.env["CI"] === "true";
const noProgram =
  isCi || areConformanceProgramsBuilt() ? false : "the official tests are not built: npm run conformance -- fast";
const noDebian = isCi || existsSync("/usr/bin/apt-get") ? false : "images are made of Debian packages";

const noRoot = isCi || process.getuid?.() === 0 ? noDebian : "only root can go into a root file system";

/** Images that tests expect to be unpullable. */
const UNOBTAINABLE: ReadonlySet<string> = new Set(["AgnhostPrivate", "InvalidRegistryImage"]);

const PROGRAMS = ["bash", "curl", "dig", "getent", "host", "ip", "ipcmk", "ipcrm", "ipcs", "nc", "nslookup", "ss"];

test("every image in the sources of conformance tests is built under its name", { skip: noProgram }, async () => {
  const sources = join(await moduleFolder(kubernetesModule(DEFAULT_RELEASE.kubernetes)), "test");
  const named = namedIn(join(sources, "e2e")).filter((name) => !UNOBTAINABLE.has(name));
  const endings = endingsIn(readFileSync(join(sources, "utils/image/manifest.go"), "utf8"));
  const made = toImages(await listReferences(silentProgress)).flatMap(({ references }) => references);
  const wanted = named.flatMap((name) => endings.get(name) ?? []);
  assert.ok(wanted.length > 8, `the sources must be understood: ${wanted.join()}`);
  const missing = wanted.filter((ending) => !made.some((reference) => reference.endsWith(ending)));
  assert.deepEqual(missing, []);
});

/** The constants of images in sources with conformance tests, and in what such tests are written with. */
function namedIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".go"));
  const texts = files.map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }));
  const relevant = texts.filter(
    ({ file, text }) => file.startsWith("framework/statefulset") || text.includes("ConformanceIt("),
  );
  const names = relevant.flatMap(({ text }) =>
    [...text.matchAll(/imageutils\.([A-Z]\w+)/g)].map((match) => match[1] ?? ""),
  );
  return [...new Set(names.map((name) => (name === "GetPauseImageName" ? "Pause" : name)))];
}

/** By its constant, how the reference of an image ends: /agnhost:2.63.0. */
function endingsIn(manifest: string): ReadonlyMap<string, string> {
  const lines = manifest.matchAll(/configs\[(\w+)\] = Config\{[\w.]+, "([^"]+)", "([^"]+)"\}/g);
  return new Map([...lines].map(([, constant = "", name = "", tag = ""]) => [constant, `/${name}:${tag}`]));
}

test("names and versions come from the output of the test program", () => {
  const told = CONFORMANCE_RECIPES.map(({ name }) => `registry.k8s.io/some/${name}:7.1-2`);
  const others = ["registry.k8s.io/agnhost:7.2", "private.example/agnhost:6", "registry.k8s.io/unknown/thing:1"];
  const images = toImages([...told, ...others]);
  assert.deepEqual(images.find(({ recipe }) => recipe.name === "agnhost")?.references, [
    "registry.k8s.io/some/agnhost:7.1-2",
    "registry.k8s.io/agnhost:7.2",
  ]);
  assert.equal(images.flatMap(({ references }) => references).length, told.length + 1);
  assert.throws(() => toImages(told.slice(1)), { code: "usage" });
  assert.deepEqual(
    COMMON_CONFORMANCE_IMAGES.filter((name) => !images.some(({ recipe }) => recipe.name === name)),
    [],
  );
});

interface Filled extends Disposable {
  readonly root: string;
  readonly config: ConformanceRecipe["config"];
  text(path: string): string;
  mode(path: string): number;
}

/** Fills the root of an image with real packages, and with programs that only say what they would be. */
async function fill(name: string, tag = "1"): Promise<Filled> {
  const recipe = CONFORMANCE_RECIPES.find((one) => one.name === name);
  assert.ok(recipe);
  const folder = mkdtempSync(join(tmpdir(), "capstan-images-test-"));
  const root = join(folder, "root");
  mkdirSync(root);
  await recipe.fill(root, pretendedSources(folder), tag);
  return {
    root,
    config: recipe.config,
    text: (path) => readFileSync(join(root, path), "utf8"),
    mode: (path) => statSync(join(root, path)).mode & 0o7777,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

function pretendedSources(folder: string): Sources {
  const write = (path: string, text: string): string => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: 0o600 });
    return join(folder, path);
  };
  const files = ["agnhost/porter/localhost.crt", "agnhost/porter/localhost.key"];
  const pictures = ["kitten", "nautilus"].flatMap((name) => [`${name}/html/data.json`, `${name}/html/${name}.jpg`]);
  return {
    program: async ({ name, module }) => write(name, `${name} ${module.version}`),
    own: async (name) => write(name, `own ${name}`),
    folder: async () => {
      for (const file of [...files, ...pictures]) write(`module/test/images/${file}`, file);
      return join(folder, "module");
    },
  };
}

/** Which of the libraries that programs load are not in the image. */
async function missingLibraries(root: string, programs: readonly string[]): Promise<string[]> {
  const machine = arch() === "x64" ? "x86_64" : "aarch64";
  const loader = join(root, arch() === "x64" ? "lib64/ld-linux-x86-64.so.2" : "lib/ld-linux-aarch64.so.1");
  const library = join(root, "usr/lib", `${machine}-linux-gnu`);
  const missing: string[] = [];
  for (const program of programs) {
    const list = await run(loader, ["--inhibit-cache", "--library-path", library, "--list", join(root, program)]);
    const found = [...list.matchAll(/^\s*(\S+) => (.*?)(?: \(.*)?$/gm)];
    missing.push(...found.filter(([, , path = ""]) => !path.startsWith(root)).map(([line]) => `${program}: ${line}`));
  }
  return missing;
}

test("all users may write temporary files beside a shell and its tools", { skip: noDebian }, async () => {
  for (const name of ["busybox", "nonroot"]) {
    using image = await fill(name);
    assert.equal(image.text("bin/sh"), "own shell");
    assert.equal(image.mode("bin/sh"), 0o755);
    assert.deepEqual([image.mode("tmp"), image.mode("var/tmp")], [0o1777, 0o1777]);
    assert.deepEqual(await missingLibraries(image.root, ["bin/bash"]), []);
    assert.ok(statSync(join(image.root, "bin/ash")).size > 0);
    assert.equal(image.config.User, name === "nonroot" ? "1234" : undefined);
  }
});

test("the shell is busybox's, but hands on variables with names that no shell can have", { skip: noRoot }, async () => {
  using image = await fill("busybox");
  copyFileSync(await buildOwn("shell", silentProgress), join(image.root, "usr/bin/sh"));
  const inside = async (script: string, env: NodeJS.ProcessEnv): Promise<string> =>
    run("chroot", [image.root, "/bin/sh", "-c", script], { env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", ...env } });
  assert.match(await inside("env", { "data-1": "value-1" }), /^data-1=value-1$/m);
  assert.match(await inside("env", { data_1: "value-1" }), /^data_1=value-1$/m);
  assert.match(await inside("nowhere 2>&1 || true", {}), /^\/bin\/sh: nowhere: not found$/m);
});

test("the program that gains rights keeps its owner and its mode in the archive", { skip: noDebian }, async () => {
  using image = await fill("nonewprivs");
  const archive = join(image.root, "../image.tar");
  await writeOciArchive(archive, { references: ["a.example/b:1", "a.example/b:2"], root: image.root, config: {} });
  const index = JSON.parse(await run("tar", ["--extract", "--to-stdout", "--file", archive, "./index.json"])) as Index;
  assert.deepEqual(
    index.manifests.map(({ annotations }) => annotations["io.containerd.image.name"]),
    ["a.example/b:1", "a.example/b:2"],
  );
  const listing = await run("sh", ["-c", LIST_LAYER, "sh", archive]);
  assert.match(listing, /^-rwsr-sr-x 0\/0 .* \.\/usr\/local\/bin\/nnp$/m);
  assert.match(listing, /^drwxrwxrwt 0\/0 .* \.\/tmp\/$/m);
  assert.doesNotMatch(listing, /^\S+ (?!0\/0 )/m);
});

interface Index {
  readonly manifests: readonly { readonly annotations: Readonly<Record<string, string>> }[];
}

/** The layer is the largest file of an archive. */
const LIST_LAYER = `layer=$(tar --list --verbose --file "$1" | sort -k 3 -n | tail -1 | sed 's/.* //')
tar --extract --to-stdout --file "$1" "$layer" | tar --list --verbose --numeric-owner`;

test("images for DNS, network and shared memory have programs and libraries", { skip: noDebian }, async () => {
  for (const name of ["glibc-dns-testing", "ipc-utils"]) {
    using image = await fill(name);
    assert.deepEqual(
      await missingLibraries(
        image.root,
        PROGRAMS.map((program) => `bin/${program}`),
      ),
      [],
    );
  }
});

test("agnhost has those programs, a certificate, a user and a group", { skip: noDebian }, async () => {
  using image = await fill("agnhost");
  assert.deepEqual(
    await missingLibraries(
      image.root,
      PROGRAMS.map((program) => `bin/${program}`),
    ),
    [],
  );
  assert.equal(image.text("agnhost-2"), `agnhost v${DEFAULT_RELEASE.kubernetes}`);
  assert.equal(image.mode("agnhost"), 0o755);
  for (const file of ["localhost.crt", "localhost.key"]) assert.equal(image.mode(file), 0o644);
  assert.equal(image.text("localhost.key"), "agnhost/porter/localhost.key");
  assert.match(image.text("etc/passwd"), /^user-defined-in-image:x:1000:1000:/m);
  assert.match(image.text("etc/group"), /^group-defined-in-image:x:50000:user-defined-in-image$/m);
  assert.ok(statSync(join(image.root, "uploads")).isDirectory());
});

test("the demo images serve a picture and say which", { skip: noDebian }, async () => {
  for (const name of ["nautilus", "kitten"]) {
    using image = await fill(name);
    assert.equal(image.text("data.json"), `${name}/html/data.json`);
    assert.equal(image.mode(`${name}.jpg`), 0o644);
    assert.deepEqual(image.config, { Entrypoint: ["/agnhost"], Cmd: ["test-webserver"] });
  }
});

test("nginx takes its settings without a user or folders of the system", { skip: noDebian }, async () => {
  using image = await fill("nginx");
  assert.deepEqual(await missingLibraries(image.root, ["usr/sbin/nginx"]), []);
  assert.match(image.text("etc/nginx/nginx.conf"), /listen 80;/);
  assert.match(image.text("etc/nginx/mime.types"), /text\/html/);
  assert.equal(image.mode("usr/share/nginx/html/index.html"), 0o644);
});

test("etcd and the sample API server are those that their tags name", { skip: noDebian }, async () => {
  using etcd = await fill("etcd", "3.6.8-0");
  assert.equal(etcd.text("usr/local/bin/etcd"), "etcd v3.6.8");
  using server = await fill("sample-apiserver", "1.29.2");
  assert.equal(server.text("sample-apiserver"), "sample-apiserver v0.29.2");
  using pause = await fill("pause");
  assert.equal(pause.text("pause"), "own init");
});
