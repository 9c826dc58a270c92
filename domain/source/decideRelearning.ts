import { Rejection } from '../rejection.js';
import { lookUp } from '../keyed.js';
import type { CommandOf } from './sourceCommands.js';
import type { ExistingSource } from './sourceState.js';
import type { SourceEvent } from './sourceEvents.js';
import { descriptionFacts, type SourceCreation } from './sourceFacts.js';

/** Creates a new source from recent days of this one, and archives this one. */
export const relearn = (
  { requestId, created }: CommandOf<'RelearnSource'>,
  state: ExistingSource,
): readonly SourceEvent[] => {
  if (lookUp(state.requests, requestId)) return [];
  const { relearnedFrom, sourceId } = created;
  if (state.status === 'archived') throw relearnRefusal(relearnedFrom, state.relearnedAs);
  const specialDays = Object.entries(state.specials)
    .map(([date, name]) => ({ date, name }))
    .filter(({ date }) => date >= created.reference.from)
    .sort((a, b) => (a.date < b.date ? -1 : 1));
  const data: SourceCreation = {
    ...created,
    ...descriptionFacts(state.description),
    ...(specialDays.length > 0 && { specialDays }),
  };
  return [
    { type: 'SourceRelearned', data: { requestId, created: data } },
    { type: 'SourceArchived', data: { requestId, relearnedAs: sourceId } },
  ];
};

/** Refusal to learn an archived source again. */
export const relearnRefusal = (sourceId: number, relearnedAs: number | null): Rejection =>
  relearnedAs === null
    ? new Rejection('sourceNotFound', `source ${sourceId} is archived`)
    : new Rejection('sourceRelearned', relearnedText(sourceId, relearnedAs));

/** Says which source took the place of one that was learned again. */
export const relearnedText = (sourceId: number, relearnedAs: number): string =>
  `source ${sourceId} was learned again as source ${relearnedAs}`;
