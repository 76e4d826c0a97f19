// SPDX-License-Identifier: GPL-3.0-or-later
// tutti-console [--page ID] [--run] [COMPOSITION]
#include <fcntl.h>
#include <unistd.h>

#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QSocketNotifier>
#include <csignal>
#include <cstring>

#include "app/console.h"
#include "fom-editor/ui/object_model_workspace.h"

namespace {

/// Written by the handler, read by the event loop: all a signal handler may do.
int g_signalPipe[2] = {-1, -1};

void noteSignal(int) {
  const char byte = 1;
  [[maybe_unused]] const auto written = ::write(g_signalPipe[1], &byte, 1);
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc == 2 && std::strcmp(argv[1], "--probe-display") == 0) {
    // It ends the program where no window can be opened: `tutti open` looks before it starts this.
    const QGuiApplication probe(argc, argv);
    return 0;
  }
  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("console"));
  QApplication::setOrganizationName(QStringLiteral("Tutti"));
  QApplication::setApplicationDisplayName(QStringLiteral("Tutti"));
  QApplication::setApplicationVersion(QStringLiteral(TUTTI_VERSION));

  QCommandLineParser parser;
  parser.setApplicationDescription(
      QStringLiteral("Compose, launch and watch a federation of HLA simulations."));
  parser.addHelpOption();
  parser.addVersionOption();
  const QCommandLineOption page(QStringLiteral("page"),
                                QStringLiteral("Show this page: compose, object-model, deploy, run "
                                               "or benchmarks."),
                                QStringLiteral("id"));
  const QCommandLineOption start(QStringLiteral("run"),
                                 QStringLiteral("Run the composition at once."));
  parser.addOptions({page, start});
  parser.addPositionalArgument(
      QStringLiteral("composition"),
      QStringLiteral("A *.federation.json, or a folder of FOM modules, to open."),
      QStringLiteral("[composition]"));
  parser.process(application);

  tutti::app::Console console({});
  tutti::app::MainWindow& window = console.window();
  window.show();
  const QStringList files = parser.positionalArguments();
  const bool isFolder = !files.isEmpty() && QFileInfo(files.first()).isDir();
  if (isFolder) {
    window.showPage(console.objectModel().id());
    console.objectModel().openFolder(files.first());
  } else if (!files.isEmpty()) {
    window.openFile(files.first());
  }
  if (parser.isSet(page)) window.showPage(parser.value(page));
  if (parser.isSet(start)) console.run().run();
  // Ctrl+C in the terminal that started it ends the run as closing the window does.
  std::unique_ptr<QSocketNotifier> interrupted;
  if (::pipe2(g_signalPipe, O_CLOEXEC | O_NONBLOCK) == 0) {
    interrupted = std::make_unique<QSocketNotifier>(g_signalPipe[0], QSocketNotifier::Read);
    QObject::connect(interrupted.get(), &QSocketNotifier::activated, &application,
                     &QApplication::quit);
    std::signal(SIGINT, noteSignal);
    std::signal(SIGTERM, noteSignal);
  }
  return QApplication::exec();
}
