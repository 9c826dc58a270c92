// Shows the description of the API. Requests carry the token of the screens, which is in the storage of the tab.
/* global SwaggerUIBundle */
const token = sessionStorage.getItem('daybook.token');
const dark = matchMedia('(prefers-color-scheme: dark)');
const followTheme = () => {
  const { theme } = document.documentElement.dataset;
  document.documentElement.classList.toggle(
    'dark-mode',
    theme === undefined ? dark.matches : theme === 'dark',
  );
};
followTheme();
dark.addEventListener('change', followTheme);

/**
 * Repairs what the library draws: headings that skip a level, a choice without a name, and links inside of buttons,
 * which do what the button does.
 */
const repair = () => {
  const all = selector => document.querySelectorAll(`#reference ${selector}`);
  for (const title of document.querySelectorAll('#reference h3.opblock-tag, #reference .models > h4'))
    title.setAttribute('aria-level', '2');
  for (const choice of all('#servers')) choice.setAttribute('aria-label', 'Server');
  for (const link of all('button a[href]')) link.removeAttribute('href');
};
new MutationObserver(repair).observe(document.querySelector('#reference'), {
  childList: true,
  subtree: true,
});

/** The description without examples of optional parameters: a request would have all of them at once. */
const described = async () => {
  const description = await (await fetch('/openapi.json')).json();
  for (const operations of Object.values(description.paths))
    for (const { parameters = [] } of Object.values(operations))
      for (const parameter of parameters)
        if (!parameter.required) {
          delete parameter.example;
          delete parameter.examples;
          delete parameter.schema?.examples;
          delete parameter.schema?.default;
        }
  return description;
};

described()
  .then(spec => {
    const ui = SwaggerUIBundle({
      spec,
      dom_id: '#reference',
      deepLinking: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      filter: true,
      tryItOutEnabled: true,
      // The validator of the library is on another host.
      validatorUrl: null,
      onComplete: () => {
        if (token !== null) ui.preauthorizeApiKey('bearer', token);
      },
    });
  })
  .catch(error => {
    document.querySelector('#reference .status').textContent =
      `The description could not be read: ${error.message}`;
  });
