/** Tags of a series by key. */
type Tags = readonly (readonly [key: string, value: string])[];

/** A series that a writer sends: one field of a measurement with some tags, in the order of their keys. */
export type Series = { readonly measurement: string; readonly field: string; readonly tags: Tags };

/** The series that a source takes its points from: those of a measurement and a field that have all of the tags. */
export type Feed = {
  readonly measurement: string;
  readonly field: string;
  readonly tags: Readonly<Record<string, string>>;
};

/** A change of a feed: absent fields and tags stay, a tag of null goes. */
export type FeedPatch = Partial<Pick<Feed, 'measurement' | 'field'>> & {
  readonly tags?: Readonly<Record<string, string | null>> | null;
};

/** Longest name of a measurement, field or tag, longest value of a tag, and largest number of tags of a feed. */
export const feedNameLengthMax = 200;
export const feedTagsMax = 16;

/** Tags in the order of their keys. */
export const tagsOf = (tags: Feed['tags']): Tags =>
  Object.entries(tags).sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));

/** A feed after a change, with its tags in the order of their keys. */
export const patchedFeed = (feed: Feed | null, patch: FeedPatch | null): Feed | null => {
  if (patch === null) return null;
  const tags = patch.tags === null ? {} : { ...feed?.tags, ...patch.tags };
  const kept = Object.entries(tags).filter((tag): tag is [string, string] => tag[1] !== null);
  return {
    measurement: patch.measurement ?? feed?.measurement ?? '',
    field: patch.field ?? feed?.field ?? '',
    tags: Object.fromEntries(tagsOf(Object.fromEntries(kept))),
  };
};

/** A text that two feeds have in common only if they are the same. */
export const feedText = ({ measurement, field, tags }: Feed): string =>
  JSON.stringify([measurement, field, tagsOf(tags)]);

/** The text of the feed that has all tags of a series. */
export const seriesText = ({ measurement, field, tags }: Series): string =>
  JSON.stringify([measurement, field, tags]);
