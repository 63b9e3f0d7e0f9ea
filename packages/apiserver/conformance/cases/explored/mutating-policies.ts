/** Mutating policies, with JSON patches and apply configurations. */
import { defineTopic, get, post, put, type Step } from "../../case.ts";
import { registration, maps, here, rules, mutating, unmutated, map } from "./admission-scene.ts";
import type { Part } from "./widget.ts";

const cases: { [name: string]: Step[] } = {};

const muts: readonly (readonly [string, readonly Part[], Part?])[] = [
  [
    "json add",
    [{ patchType: "JSONPatch", jsonPatch: { expression: "[JSONPatch{op: 'add', path: '/data/x', value: 'y'}]" } }],
  ],
  [
    "json escape",
    [
      {
        patchType: "JSONPatch",
        jsonPatch: {
          expression:
            "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a/b': 'c'}}, JSONPatch{op: 'replace', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 'd'}]",
        },
      },
    ],
  ],
  [
    "json bad path",
    [{ patchType: "JSONPatch", jsonPatch: { expression: "[JSONPatch{op: 'remove', path: '/data/nope'}]" } }],
  ],
  [
    "json test",
    [
      {
        patchType: "JSONPatch",
        jsonPatch: {
          expression:
            "[JSONPatch{op: 'test', path: '/data/a', value: '2'}, JSONPatch{op: 'add', path: '/data/x', value: 'y'}]",
        },
      },
    ],
  ],
  ["apply", [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{data: {'x': 'y'}}" } }]],
  [
    "apply meta",
    [
      {
        patchType: "ApplyConfiguration",
        applyConfiguration: {
          expression: "Object{metadata: Object.metadata{labels: {'l': object.data.a}, annotations: {'an': 'x'}}}",
        },
      },
    ],
  ],
  [
    "apply two",
    [
      { patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{data: {'x': 'y'}}" } },
      {
        patchType: "JSONPatch",
        jsonPatch: { expression: "[JSONPatch{op: 'replace', path: '/data/x', value: object.data.x + '!'}]" },
      },
    ],
  ],
  [
    "error",
    [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{data: {'x': object.data.nope}}" } }],
  ],
  [
    "error ignore",
    [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{data: {'x': object.data.nope}}" } }],
    { failurePolicy: "Ignore" },
  ],
  [
    "cond",
    [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{data: {'x': 'y'}}" } }],
    { matchConditions: [{ name: "c", expression: "object.metadata.name == 'other'" }] },
  ],
  [
    "vars",
    [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{data: {'x': variables.v}}" } }],
    { variables: [{ name: "v", expression: "object.data.a + object.metadata.name" }] },
  ],
  [
    "apply name",
    [
      {
        patchType: "ApplyConfiguration",
        applyConfiguration: { expression: "Object{metadata: Object.metadata{name: 'zz'}}" },
      },
    ],
  ],
  [
    "json type",
    [{ patchType: "JSONPatch", jsonPatch: { expression: "[JSONPatch{op: 'add', path: '/data/x', value: 5}]" } }],
  ],
];
for (const [n, m, more] of muts)
  cases[n] = [
    ...mutating(m, more),
    post(maps, map()),
    put(`${maps}/c`, map({ a: "2" })),
    get(`${maps}/c`),
    ...unmutated,
  ];
const mbad: readonly (readonly [string, readonly Part[], Part?])[] = [
  ["none", []],
  ["type", [{ patchType: "X" }]],
  [
    "both",
    [
      {
        patchType: "JSONPatch",
        jsonPatch: { expression: "[JSONPatch{op: 'add'}]" },
        applyConfiguration: { expression: "Object{}" },
      },
    ],
  ],
  ["missing", [{ patchType: "ApplyConfiguration" }]],
  ["apply type", [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "1" } }]],
  ["syntax", [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{" } }]],
  ["unknown field", [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{nope: 1}" } }]],
  [
    "reinvocation",
    [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }],
    { reinvocationPolicy: "X" },
  ],
];
for (const [n, m, more] of mbad)
  cases[`bad ${n}`] = [
    post(`${registration}/mutatingadmissionpolicies?dryRun=All`, {
      metadata: { name: "p-{ns}" },
      spec: {
        matchConstraints: { resourceRules: rules(), ...here },
        reinvocationPolicy: "Never",
        mutations: m,
        ...more,
      },
    }),
  ];
export const mutatingPolicies = defineTopic("mutating-policies", cases);
