"""The visible checks of `modern-block`: what its notebook asks, step by step.

The notebook imports this file, and nothing hidden is in it. `toolbox.student` has what the notebook
defines when a check runs.
"""

import toolbox
from torch import tensor


@toolbox.steps("count_parameters")
def count_parameters_steps():
    answer = toolbox.student.parameters
    if answer is ...:
        raise NotImplementedError
    yield "Is it one whole number?"
    assert isinstance(answer, int), f"It is {answer!r}."


@toolbox.steps("rms_norm")
def rms_norm_steps():
    layer = toolbox.student.RMSNorm(4)
    (linear,) = layer.children()
    x = tensor([[1.0, 2.0, 3.0, 4.0]])
    yield "Is it twice what the linear layer answers?"
    toolbox.same(layer(x), 2 * linear(x), "batch d_model")


@toolbox.steps("fold_centering")
def fold_centering_steps():
    x = tensor([[1.0, 3.0], [2.0, 8.0]])
    answer = toolbox.student.fold_centering(x)
    yield "Does each row lose its own mean?"
    toolbox.same(answer, tensor([[-1.0, 1.0], [-3.0, 3.0]]), "batch d_model")


@toolbox.steps("swiglu")
def swiglu_steps():
    layer = toolbox.student.SwiGLU(4)
    (linear,) = layer.children()
    x = tensor([[1.0, 2.0, 3.0, 4.0]])
    yield "Is it twice what the linear layer answers?"
    toolbox.same(layer(x), 2 * linear(x), "batch d_model")


@toolbox.steps("pre_norm_feed_forward")
def pre_norm_feed_forward_steps():
    layer = toolbox.student.PreNormFeedForward(4)
    (linear,) = layer.children()
    x = tensor([[1.0, 2.0, 3.0, 4.0]])
    yield "Is it twice what the linear layer answers?"
    toolbox.same(layer(x), 2 * linear(x), "batch d_model")


@toolbox.steps("modern_block")
def modern_block_steps():
    layer = toolbox.student.ModernBlock(4)
    (linear,) = layer.children()
    x = tensor([[1.0, 2.0, 3.0, 4.0]])
    yield "Is it twice what the linear layer answers?"
    toolbox.same(layer(x), 2 * linear(x), "batch d_model")


@toolbox.steps("modern_stack")
def modern_stack_steps():
    layer = toolbox.student.ModernStack(4)
    (linear,) = layer.children()
    x = tensor([[1.0, 2.0, 3.0, 4.0]])
    yield "Is it twice what the linear layer answers?"
    toolbox.same(layer(x), 2 * linear(x), "batch d_model")


@toolbox.steps("gradient_by_layer")
def gradient_by_layer_steps():
    x = tensor([[1.0, 3.0], [2.0, 8.0]])
    answer = toolbox.student.gradient_by_layer(x)
    yield "Does each row lose its own mean?"
    toolbox.same(answer, tensor([[-1.0, 1.0], [-3.0, 3.0]]), "batch d_model")


@toolbox.steps("find_the_block")
def find_the_block_steps():
    x = tensor([[1.0, 3.0], [2.0, 8.0]])
    answer = toolbox.student.kind_of_block(x)
    yield "Does each row lose its own mean?"
    toolbox.same(answer, tensor([[-1.0, 1.0], [-3.0, 3.0]]), "batch d_model")


# Made by `release`: the exercises, fingerprints of the cells, the map.
RELEASED = {'exercises': {'count_parameters': {'number': '1',
                                    'title': 'Count parameters',
                                    'points': 2,
                                    'minutes': 10,
                                    'defines': ('parameters',),
                                    'by_hand': False,
                                    'form_only': False},
               'rms_norm': {'number': '2',
                            'title': 'Rms norm',
                            'points': 5,
                            'minutes': 10,
                            'defines': ('RMSNorm',),
                            'by_hand': False,
                            'form_only': False},
               'fold_centering': {'number': '3',
                                  'title': 'Fold centering',
                                  'points': 3,
                                  'minutes': 10,
                                  'defines': ('fold_centering',),
                                  'by_hand': False,
                                  'form_only': False},
               'swiglu': {'number': '4',
                          'title': 'Swiglu',
                          'points': 4,
                          'minutes': 10,
                          'defines': ('SwiGLU',),
                          'by_hand': False,
                          'form_only': False},
               'pre_norm_feed_forward': {'number': '5',
                                         'title': 'Pre norm feed forward',
                                         'points': 2,
                                         'minutes': 10,
                                         'defines': ('PreNormFeedForward',),
                                         'by_hand': False,
                                         'form_only': False},
               'modern_block': {'number': '6',
                                'title': 'Modern block',
                                'points': 5,
                                'minutes': 10,
                                'defines': ('ModernBlock',),
                                'by_hand': False,
                                'form_only': False},
               'modern_stack': {'number': '7',
                                'title': 'Modern stack',
                                'points': 3,
                                'minutes': 10,
                                'defines': ('ModernStack',),
                                'by_hand': False,
                                'form_only': False},
               'gradient_by_layer': {'number': '8',
                                     'title': 'Gradient by layer',
                                     'points': 4,
                                     'minutes': 10,
                                     'defines': ('gradient_by_layer',),
                                     'by_hand': False,
                                     'form_only': False},
               'find_the_block': {'number': '9',
                                  'title': 'Find the block',
                                  'points': 3,
                                  'minutes': 10,
                                  'defines': ('kind_of_block',),
                                  'by_hand': False,
                                  'form_only': False},
               'explain_depth': {'number': '10',
                                 'title': 'Explain depth',
                                 'points': 2,
                                 'minutes': 20,
                                 'defines': (),
                                 'by_hand': True,
                                 'form_only': False}},
 'cells': {'imports': '25763fc83a7a',
           'count_parameters': '36b323f6e92d',
           'check_count_parameters': 'f6c7f16cbb74',
           'rms_norm': 'd0f89805ca69',
           'check_rms_norm': '4bb5f47e5ec1',
           'fold_centering': '62910857ade0',
           'check_fold_centering': 'f1467b91f9d8',
           'swiglu': '793fcd277152',
           'check_swiglu': 'b8119d78497c',
           'pre_norm_feed_forward': '97a1dbe0005e',
           'check_pre_norm_feed_forward': 'f02667eb3cc7',
           'given_attention': 'b8013862ac7d',
           'modern_block': '689fbc40373d',
           'check_modern_block': '0f29afd33bef',
           'modern_stack': 'ac25be0e50c6',
           'check_modern_stack': '9fa352453b96',
           'gradient_by_layer': 'b38dd33f1bac',
           'check_gradient_by_layer': 'c048b7fe5267',
           'find_the_block': '94228d8adbdf',
           'check_find_the_block': 'd62cefed2eb9',
           'explain_depth': '13ba8076919c'},
 'overview': ''}
