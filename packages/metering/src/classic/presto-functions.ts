/** The functions of Presto by name: as DuckDB has them, or what DuckDB has instead. */

/** Makes the call from the texts of the arguments; undefined for a wrong number of them. */
export type Translation = (given: readonly string[]) => string | undefined;

const same =
  "abs acos asin atan atan2 avg bit_count bool_and bool_or cbrt ceil ceiling chr coalesce corr cos count count_if covar_pop covar_samp " +
  "current_date date date_trunc day day_of_month degrees dense_rank exp first_value floor greatest lag last_value lead least length " +
  "ln localtimestamp log10 log2 lower lpad ltrim map map_entries map_keys map_values max min minute mod month ntile nth_value nullif " +
  "percent_rank pi pow power quarter radians rank regr_intercept regr_slope replace reverse round row_number rpad rtrim second sign sin " +
  "sqrt stddev stddev_pop stddev_samp strpos substr substring sum tan trim try upper var_pop var_samp variance week year hour array_agg " +
  "concat_ws contains hash md5 to_base64 from_base64 levenshtein_distance map_concat flatten cume_dist";

const renamed: { readonly [name: string]: string } = {
  approx_distinct: "approx_count_distinct",
  arbitrary: "any_value",
  array_distinct: "list_distinct",
  array_max: "list_max",
  array_min: "list_min",
  array_sort: "list_sort",
  cardinality: "len",
  day_of_week: "isodow",
  day_of_year: "dayofyear",
  dow: "isodow",
  doy: "dayofyear",
  every: "bool_and",
  geometric_mean: "geomean",
  is_nan: "isnan",
  is_infinite: "isinf",
  is_finite: "isfinite",
  max_by: "arg_max",
  min_by: "arg_min",
  regexp_like: "regexp_matches",
  split: "string_split",
  to_unixtime: "epoch",
  truncate: "trunc",
  week_of_year: "week",
  year_of_week: "isoyear",
};

const special: { readonly [name: string]: Translation } = {
  element_at: ([of, key, ...more]) =>
    of === undefined || key === undefined || more.length > 0 ? undefined : `(${of})[${key}]`,
  // An index beyond the parts is null.
  split_part: ([of, by, at, ...more]) =>
    of === undefined || by === undefined || at === undefined || more.length > 0
      ? undefined
      : `string_split(${of}, ${by})[${at}]`,
  // Presto counts whole units, as date_sub does; date_diff of DuckDB counts borders.
  date_diff: ([unit, from, to, ...more]) =>
    unit === undefined || from === undefined || to === undefined || more.length > 0
      ? undefined
      : `date_sub(${unit}, ${from}, ${to})`,
  date_add: ([unit, count, to, ...more]) => {
    const word = /^\s*'(millisecond|second|minute|hour|day|week|month|quarter|year)'\s*$/i.exec(unit ?? "")?.[1];
    if (word === undefined || count === undefined || to === undefined || more.length > 0) return undefined;
    return word.toLowerCase() === "quarter"
      ? `((${to}) + 3 * (${count}) * INTERVAL 1 month)`
      : `((${to}) + (${count}) * INTERVAL 1 ${word})`;
  },
  // A null makes the result null.
  concat: (given) => (given.length < 2 ? undefined : `(${given.map((one) => `(${one})`).join(" || ")})`),
  if: ([condition, yes, no = "NULL", ...more]) =>
    condition === undefined || yes === undefined || more.length > 0
      ? undefined
      : `(CASE WHEN ${condition} THEN ${yes} ELSE ${no} END)`,
  from_unixtime: ([seconds, ...more]) =>
    seconds === undefined || more.length > 0
      ? undefined
      : `make_timestamp(CAST(round((${seconds}) * 1000000) AS BIGINT))`,
  from_iso8601_timestamp: ([value, ...more]) =>
    value === undefined || more.length > 0 ? undefined : `(CAST(${value} AS TIMESTAMPTZ) AT TIME ZONE 'UTC')`,
  regexp_replace: ([of, pattern, by = "''", ...more]) =>
    of === undefined || pattern === undefined || more.length > 0
      ? undefined
      : `regexp_replace(${of}, ${pattern}, ${by}, 'g')`,
  map_agg: ([key, value, ...more]) =>
    key === undefined || value === undefined || more.length > 0 ? undefined : `map(list(${key}), list(${value}))`,
  array_join: ([of, by, ...more]) =>
    of === undefined || by === undefined || more.length > 0 ? undefined : `array_to_string(${of}, ${by})`,
  date_format: ([time, format, ...more]) => {
    const layout = strftimeOf(format);
    return time === undefined || layout === undefined || more.length > 0 ? undefined : `strftime(${time}, ${layout})`;
  },
  nan: () => "CAST('nan' AS DOUBLE)",
  infinity: () => "CAST('inf' AS DOUBLE)",
  approx_percentile: ([of, at, ...more]) =>
    of === undefined || at === undefined || more.length > 0 ? undefined : `approx_quantile(${of}, ${at})`,
};

/** The letters of MySQL's formats that strftime has under another name. */
const letters: { readonly [letter: string]: string } = {
  i: "M",
  s: "S",
  T: "H:%M:%S",
  M: "B",
  e: "-d",
  c: "-m",
  k: "-H",
  h: "I",
  f: "f",
};

function strftimeOf(format: string | undefined): string | undefined {
  const found = /^\s*('(?:[^']|'')*')\s*$/.exec(format ?? "")?.[1];
  return found?.replaceAll(/%([A-Za-z])/g, (_all, letter: string) => `%${letters[letter] ?? letter}`);
}

const kept = new Set(same.split(" "));

/** How a function is called in DuckDB; undefined for one that is not known. */
export function translationOf(name: string): Translation | undefined {
  const key = name.toLowerCase();
  if (Object.hasOwn(special, key)) return special[key];
  const other = Object.hasOwn(renamed, key) ? renamed[key] : kept.has(key) ? name : undefined;
  return other === undefined ? undefined : (given) => `${other}(${given.join(", ")})`;
}
