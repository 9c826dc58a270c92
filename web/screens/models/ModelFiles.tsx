import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ProblemError } from '../../../client/index.js';
import { api } from '../../api/client.js';
import type { ModelList, Source } from '../../api/types.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Faults.js';
import { FileButton } from '../../parts/forms/FileButton.js';
import { useToast } from '../../parts/Toasts.js';

/** Models as a file: what is downloaded can be uploaded again, changed or not. */
export const ModelFiles = ({
  source,
  list,
  editable,
}: {
  readonly source: Source;
  readonly list: ModelList;
  readonly editable: boolean;
}) => {
  const { models: texts } = useMessages();
  const tell = useToast();
  const client = useQueryClient();
  const upload = useMutation({
    mutationFn: async (file: File) => {
      const text = await file.text();
      let body: { models: ModelList['models'] };
      try {
        body = JSON.parse(text) as { models: ModelList['models'] };
      } catch (error) {
        throw new ProblemError(400, {
          code: 'unparseable',
          detail: error instanceof Error ? error.message : '',
        });
      }
      return api.post('/v1/model/bulk-replace/{source_id}', {
        params: { path: { source_id: source.id } },
        body,
      });
    },
    onSuccess: ({ models, alerts }) =>
      tell(texts.wasReset(models.length, alerts.counts.raised, alerts.counts.invalidated)),
    onSettled: () =>
      client.invalidateQueries({
        predicate: ({ queryKey: [, keyed] }) => keyed === null || keyed === source.id,
      }),
  });
  const download = (): void => {
    const models = list.models.map(({ name, color, anomaly, activity, topTolerance, bottomTolerance }) => ({
      name,
      color,
      anomaly,
      activity,
      topTolerance,
      bottomTolerance,
    }));
    const url = URL.createObjectURL(
      new Blob([JSON.stringify({ models }, null, 1)], { type: 'application/json' }),
    );
    const link = document.createElement('a');
    link.href = url;
    link.download = `${source.name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-models.json`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <section className="card card-pad stack tight">
      <h2>{texts.files}</h2>
      <p className="hint">{texts.filesHint}</p>
      <div className="row">
        <button className="button" onClick={download}>
          {texts.download}
        </button>
        {editable && (
          <FileButton
            text={texts.upload}
            label={texts.upload}
            accept=".json,application/json"
            disabled={upload.isPending}
            onFile={file => upload.mutate(file)}
          />
        )}
      </div>
      {upload.error && <Faults error={upload.error} />}
    </section>
  );
};
