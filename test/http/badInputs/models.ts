import { flat, missingCase, parameterCase, model, type Case, without, longName, replace } from './case.js';
import type { Given } from './given.js';

const modelCase = (name: string, models: unknown, at: readonly string[], more: Partial<Case> = {}): Case => ({
  name: `models: ${name}`,
  request: ['POST', replace, { json: { models } }],
  status: 422,
  code: 'bodyInvalid',
  at,
  ...more,
});

/** Resets, replacements, previews and changes of models. */
export const modelsCases = ({ ownModels, theirModels }: Given): readonly Case[] => {
  const changeCase = (
    name: string,
    json: unknown,
    at: readonly string[],
    more: Partial<Case> = {},
  ): Case => ({
    name: `model: ${name}`,
    request: ['PATCH', `/v1/model/1/${ownModels.models[0]?.id}`, { json }],
    status: 422,
    code: 'bodyInvalid',
    at,
    ...more,
  });

  return [
    changeCase('an unknown field', { days: 3 }, ['/days unknownField']),
    changeCase('a profile', { activity: flat(24) }, ['/activity unknownField']),
    changeCase('a colour in words', { color: 'red' }, ['/color pattern']),
    changeCase('a flag in words', { anomaly: 'yes' }, ['/anomaly type']),
    changeCase('an empty name', { name: '' }, ['/name minLength']),
    changeCase('the name of another', { name: ownModels.models[1]?.name }, ['/name nameTaken'], {
      code: 'modelsInvalid',
    }),
    missingCase('PATCH', '/v1/model/1/999999', { json: {} }, 'notFound'),
    {
      ...missingCase('PATCH', '/v1/model/1/999999', {
        json: { name: 'New' },
        headers: { 'Idempotency-Key': 'noModel' },
      }),
      ...{ name: 'missing: a model, with a key', code: 'notFound' },
    },
    missingCase('PATCH', `/v1/model/2/${theirModels.models[0]?.id}`, { json: {} }),
    parameterCase('PATCH', '/v1/model/1/0', ['/path/model_id minimum'], { json: {} }),
    parameterCase('POST', '/v1/model/preview/1/0', ['/path/model_count minimum']),
    parameterCase('POST', '/v1/model/preview/1/65', ['/path/model_count maximum']),
    parameterCase('POST', '/v1/model/preview/1/3?coverage=2', ['/query/coverage maximum']),
    parameterCase('POST', '/v1/model/preview/1/3?keepPlanning=no', ['/query/keepPlanning type']),
    parameterCase('POST', '/v1/model/reset/1/3?keepPlanning=0', ['/query/keepPlanning type']),
    parameterCase('POST', '/v1/model/bulk-replace/1?keepPlanning=', ['/query/keepPlanning type'], {
      json: { models: [model()] },
    }),
    missingCase('POST', '/v1/model/preview/2/3'),
    ...[0, 65, 1000, '1.5', '-1', 'x', '1e1'].map((count): Case => ({
      name: `model_count ${count}`,
      request: ['POST', `/v1/model/reset/1/${count}`],
      status: 422,
      code: 'parametersInvalid',
      at: [
        `/path/model_count ${typeof count === 'string' && count !== '-1' ? 'type' : Number(count) < 1 ? 'minimum' : 'maximum'}`,
      ],
    })),
    modelCase('none', [], ['/models minItems']),
    modelCase(
      '65',
      Array.from({ length: 65 }, (_, index) => model({ name: `m${index}` })),
      ['/models maxItems'],
    ),
    modelCase('a name twice', [model(), model()], ['/models/1/name nameTaken'], { code: 'modelsInvalid' }),
    modelCase(
      'bounds crossed',
      [
        model({
          topTolerance: [...flat(23, 2), 0.5],
          bottomTolerance: [1.5, ...flat(23, 0)],
        }),
      ],
      ['/models/0/bottomTolerance/0 bounds', '/models/0/topTolerance/23 bounds'],
      { code: 'modelsInvalid' },
    ),
    modelCase('uneven lengths', [model({ topTolerance: flat(12, 2) })], ['/models/0/topTolerance lengths'], {
      code: 'modelsInvalid',
    }),
    modelCase(
      '23 values',
      [model({ activity: flat(23), topTolerance: flat(23, 2), bottomTolerance: flat(23, 0) })],
      ['/models/0/activity activityLength'],
    ),
    modelCase('color red', [model({ color: 'red' })], ['/models/0/color pattern']),
    modelCase('an extra field', [model({ uses: 7 })], ['/models/0/uses unknownField']),
    modelCase('no color', [without(model(), 'color')], ['/models/0 required']),
    modelCase('anomaly "yes"', [model({ anomaly: 'yes' })], ['/models/0/anomaly type']),
    modelCase('an empty name', [model({ name: '' })], ['/models/0/name minLength']),
    modelCase('a name too long', [model({ name: longName })], ['/models/0/name maxLength']),
    modelCase('null as a value', [model({ activity: [...flat(23), null] })], ['/models/0/activity/23 type']),
    modelCase('null', null, ['/models type']),
    {
      ...modelCase('`null` as a body', undefined, [' type']),
      request: ['POST', replace, { json: null }],
    },
    {
      ...modelCase('1e999', undefined, ['/models/0/activity/0 type']),
      request: [
        'POST',
        replace,
        {
          body: JSON.stringify({ models: [model({ activity: ['!', ...flat(23)] })] }).replace('"!"', '1e999'),
          headers: { 'Content-Type': 'application/json' },
        },
      ],
    },
    modelCase(
      'all faults at once',
      Array.from({ length: 30 }, (_, index) => model({ name: `m${index}`, color: 'red' })),
      Array.from({ length: 30 }, (_, index) => `/models/${index}/color pattern`),
    ),
    {
      name: 'models: broken JSON',
      request: ['POST', replace, { body: '{"models":[', headers: { 'Content-Type': 'application/json' } }],
      status: 400,
      code: 'unparseable',
      at: ['1: jsonBroken'],
    },
    {
      name: 'models: no body',
      request: ['POST', replace, { headers: { 'Content-Type': 'application/json' } }],
      status: 400,
      code: 'unparseable',
      at: ['1: jsonBroken'],
    },
    {
      name: 'reset with coverage 0.8',
      request: ['POST', '/v1/model/reset/1/2?coverage=0.8'],
      status: 422,
      code: 'parametersInvalid',
      at: ['/query/coverage minimum'],
    },
  ];
};
